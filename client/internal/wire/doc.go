// Package wire turns the JSON of a server into values and back without losing
// anything: absent is told from null, unknown members are kept, what is
// missing is an error that names the place, and text is made safe to print. It
// knows no route and no type of an API.
//
// Answers are decoded in two ways with one result. The quick way reads the
// whole body in one pass into wire types, and gives up on an unknown member or
// anything else out of the ordinary. The thorough way then reads object by object,
// keeps unknown members, and names the place of what is wrong. Which members are
// required is checked where wire types are converted, which both ways share.
package wire
