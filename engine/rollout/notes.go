package rollout

import "github.com/StorconTUI/storcon-tui/engine/journal"

// noteRing bounds the notes that a Status carries; the journal keeps all.
const noteRing = 200

// note adds a line to the run's log. An anomaly also ends the standing answers.
func (m *Machine) note(kind NoteKind, row, text string) {
	if n := len(m.notes); n > 0 && m.notes[n-1].Text == text && m.notes[n-1].Row == row && m.notes[n-1].Node == m.id() {
		return // one line for a change, not for every try
	}
	m.notes = append(m.notes, Note{At: m.at, Node: m.id(), Kind: kind, Row: row, Text: text})
	if len(m.notes) > noteRing {
		m.notes = m.notes[len(m.notes)-noteRing:]
	}
	if kind == NoteInfo {
		return
	}
	m.standing, m.revoked = nil, true
	m.record(journal.Record{Kind: journal.KindAnomaly, Why: text}.With(map[string]string{"row": row}))
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

func stepWord(s StepState) string {
	switch s {
	case StepDone:
		return "done"
	case StepDegraded:
		return "done with issues"
	case StepSkipped:
		return "skipped"
	case StepGone:
		return "gone"
	case StepFailed:
		return "failed"
	case StepAbortedClean:
		return "aborted, nothing is left behind"
	case StepAbortedDirty:
		return "aborted, something is left to put right"
	case StepRunning:
		return "running"
	}
	return "waiting"
}
