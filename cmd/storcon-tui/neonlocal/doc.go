// Package neonlocal reads a directory of neon_local (contract C): where its controller
// is, which key its tokens are signed with, and which endpoints there are.
//
// It reads leniently, since the files differ from version to version: only what is
// needed has to be there. Every error names the file and what can be done. The package
// knows no flag, sends nothing and writes nothing; it neither reads the key nor a spec,
// it only knows where they are.
package neonlocal
