package rollout

import "github.com/StorconTUI/storcon-tui/engine/journal"

// standing is an answer that also covers questions to come, until the first
// anomaly.
type standing struct {
	word Word
	node int    // index of the step it was given on
	az   string // of that step's node
	by   Operator
}

// covers reports that the answer extends to the current step.
func (a standing) covers(m *Machine) bool {
	switch a.word {
	case WordRestOfNode:
		return a.node == m.cur
	case WordRestOfAZ:
		return a.az == m.step().Plan.AZ
	case WordRestOfRun:
		return true
	}
	return false
}

// stand keeps the answer for what comes next.
func (m *Machine) stand(a Answer) {
	m.standing = append(m.standing, standing{word: a.Word, node: m.cur, az: m.step().Plan.AZ, by: a.By})
}

// answerStanding answers a question of the regular path from what stands. A
// question about trouble, or one that needs the id typed, is always a person's.
func (m *Machine) answerStanding(q question) {
	if !q.proposes() || len(q.choices) == 0 {
		return
	}
	first := q.choices[0]
	if first.Word != WordYes || first.TypeID || first.Off != "" {
		return
	}
	for _, a := range m.standing {
		if !a.covers(m) {
			continue
		}
		p := *m.prompt
		answer := Answer{Prompt: p.ID, Word: WordYes, By: a.by, At: m.at}
		m.record(journal.Record{Kind: journal.KindAnswer, By: actor(a.by), Why: "standing answer " + string(a.word), Cls: journal.DEC}.
			With(m.answerRecord(p, answer)))
		m.clearPrompt()
		m.decide(p, answer)
		return
	}
}
