// Package notify carries what people should hear of, such as a question that
// waits or a run that has ended, to where they are: a terminal's bell, a command
// of theirs, a chat.
//
// Nothing here can hold up who has something to tell: Notify puts an Event into
// bounded queues, one for each Sink, and a slow Sink loses its oldest Events,
// counted (E27). It must not know what a run or a release is, nor any screen.
package notify
