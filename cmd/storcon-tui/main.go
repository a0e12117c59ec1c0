// Command storcon-tui watches and drives rolling restarts of storage clusters.
package main

func main() {}
