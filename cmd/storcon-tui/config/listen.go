package config

import (
	"fmt"
	"net"
	"strings"
)

// parseListen checks an address to serve at: HOST:PORT, or PORT alone for loopback. A
// missing host, as in ":9090", means every address of the machine; "off" is "", nowhere.
func parseListen(text string) (string, error) {
	if text == "off" {
		return "", nil
	}
	address := text
	if !strings.Contains(text, ":") {
		address = net.JoinHostPort("127.0.0.1", text)
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return "", fmt.Errorf(`expected HOST:PORT such as "127.0.0.1:9464", PORT alone for loopback, or "off", got %q`, text)
	}
	return address, nil
}
