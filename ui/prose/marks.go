package prose

// Marks are the symbols that stand beside a state's word.
type Marks struct {
	Done, Asking, Waiting, Trouble, Failed, Running string
}

// MarksFor gives the symbols of a locale: ASCII ones where UTF-8 is not shown.
func MarksFor(ascii bool) Marks {
	if ascii {
		return Marks{Done: "+", Asking: "?", Waiting: ".", Trouble: "!", Failed: "x", Running: ">"}
	}
	return Marks{Done: "✓", Asking: "?", Waiting: "·", Trouble: "!", Failed: "×", Running: ">"}
}
