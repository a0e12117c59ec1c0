package action

import "slices"

// The actions.
const (
	Restart  ID = "restart"
	Drain    ID = "drain"
	Fill     ID = "fill"
	Cancel   ID = "cancel"
	Activate ID = "activate"
	Resume   ID = "resume"

	Mark        ID = "mark"
	Filter      ID = "filter"
	Sort        ID = "sort"
	Details     ID = "details"
	NextProblem ID = "next-problem"
	Events      ID = "events"
	ViewRun     ID = "run"
	ViewReport  ID = "report"
	ViewRuns    ID = "runs"
	Help        ID = "help"
	Quit        ID = "quit"
)

// Catalogue lists every action, those that change the cluster first, in the order in which
// help shows them. The slice is the caller's.
func Catalogue() []Action {
	return []Action{
		{ID: Restart, Title: "restart nodes, one after another", Scope: Nodes, Danger: Typed, Why: first(
			notDrivable, noTarget, unfinished, restartable,
		)},
		{ID: Drain, Title: "drain node", Scope: Node, Danger: Confirmed, Why: first(
			notDrivable, noCursor, nodeActive, drainable,
		)},
		{ID: Fill, Title: "fill node", Scope: Node, Danger: Confirmed, Why: first(
			notDrivable, noCursor, nodeActive, fillable,
		)},
		{ID: Cancel, Title: "cancel what runs on node", Scope: Node, Danger: Confirmed, Why: first(
			notDrivable, noCursor, cancellable, nodeActive,
		)},
		{ID: Activate, Title: "set node Active", Scope: Node, Danger: Typed, Why: first(
			notDrivable, noCursor, needsAdmin, activatable,
		)},

		{ID: Resume, Title: "take the unfinished run up again", Scope: Console, Danger: Confirmed, Why: first(
			notDrivable, nothingUnfinished,
		)},

		{ID: Mark, Title: "mark node", Scope: Node, Why: first(noCursor)},
		{ID: Filter, Title: "filter rows", Scope: Console, Why: can},
		{ID: Sort, Title: "sort rows", Scope: Console, Why: can},
		{ID: Details, Title: "node details", Scope: Node, Why: first(noCursor)},
		{ID: NextProblem, Title: "next problem", Scope: Console, Why: first(noProblem)},
		{ID: Events, Title: "event log", Scope: Console, Why: can},
		{ID: ViewRun, Title: "the live run", Scope: Run, Why: first(noRun)},
		{ID: ViewReport, Title: "report of the last run", Scope: Console, Why: first(noReport)},
		{ID: ViewRuns, Title: "earlier runs", Scope: Console, Why: can},
		{ID: Help, Title: "help", Scope: Console, Why: can},
		{ID: Quit, Title: "quit", Scope: Console, Why: can},
	}
}

// Find looks an action up.
func Find(id ID) (Action, bool) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(a Action) bool { return a.ID == id })
	if i < 0 {
		return Action{}, false
	}
	return all[i], true
}

// Why says why an action is off for a selection; "" = it can be done.
func Why(id ID, s Selection) string {
	a, ok := Find(id)
	if !ok {
		return "no such action: " + string(id)
	}
	return a.Why(s)
}
