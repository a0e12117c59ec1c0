package main

import (
	"context"
	"os/signal"
	"syscall"
)

// untilSignal is a context that ends with the first signal to stop; the next
// one ends the process.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
