package live

import "testing"

func TestBoard(t *testing.T) {
	var b Board[int]
	if b.Latest() != nil {
		t.Error("a new board shows something")
	}
	one, endOne := b.Subscribe()
	two, endTwo := b.Subscribe()
	defer endTwo()
	for n := range 3 {
		b.Publish(&n)
	}
	if got := *b.Latest(); got != 2 {
		t.Errorf("it shows %d", got)
	}
	for _, pings := range []<-chan struct{}{one, two} {
		<-pings
		select {
		case <-pings:
			t.Error("pings that nobody took are more than one")
		default:
		}
	}
	endOne()
	n := 7
	b.Publish(&n)
	select {
	case <-one:
		t.Error("pinged after the end")
	default:
	}
	<-two
}
