// Package config turns the TOML file and the flags into validated settings.
//
// Every error names path:line, the key, what is expected and, for a name that
// does not exist, the nearest one that does; all errors of a file are reported,
// not only the first. The package opens no connection and reads no token: it
// only knows where a token is. A Source is read by whoever needs it.
//
// # Precedence
//
// A flag wins over the file, the file over the default. Of the clusters in the
// file one is chosen: by --cluster, else by default_cluster, else the only one
// there is. With --cluster, the other flags change single settings of that
// cluster. --url without --cluster is a cluster of its own, named by its host
// and port, and takes nothing from the clusters in the file: a token that was
// configured for one controller is never sent to another by accident. Theme and
// state directory apply to every cluster. --neon-local is a cluster of its own, too:
// controller, tokens, certificates and computes come from that directory, also with
// --cluster, of which only what does not say how it is reached stands then. --url and
// --token-file win over the directory.
//
// # Paths
//
// A leading ~ is the home directory. A relative path in the file is relative to
// the file's directory; one in a flag, to the working directory.
package config
