package reconfigure

import (
	"time"

	"github.com/StorconTUI/storcon-tui/client/compute"
	"github.com/StorconTUI/storcon-tui/client/postgres"
	"github.com/StorconTUI/storcon-tui/engine/journal"
	"github.com/StorconTUI/storcon-tui/engine/rollout"
)

// Event is something that happened. Every event carries its moment: a Machine has no
// clock.
type Event interface{ at() time.Time }

// Tick is time passing.
type Tick struct{ At time.Time }

// StatusRead is the answer to a ReadStatus.
type StatusRead struct {
	At     time.Time
	Item   int
	Asked  time.Time // when the request left
	Status compute.Status
	Err    error
	Absent bool // nobody listens there, says Err
}

// ConfigureEnded is what came of a Configure.
type ConfigureEnded struct {
	At      time.Time
	Item    int
	Eff     string
	Attempt int
	Verdict compute.Verdict
	Busy    compute.State // that the refusal names; "" = none
	Status  int           // of HTTP; 0 = no answer
	Err     error
}

// Verified is the answer to a Verify.
type Verified struct {
	At     time.Time
	Item   int
	Effect Effect
}

// Effect is what a compute shows after it took a spec.
type Effect struct {
	Status   compute.Status
	Err      error                       // /status could not be read
	Writable error                       // of check_writability; nil also where it is not asked
	Settings map[string]postgres.Setting // through SQL, by name; a name that is missing is unknown to Postgres
	SQLErr   error                       // why they could not be read
}

// Answered is an operator's answer.
type Answered struct {
	At     time.Time
	Answer Answer
}

// JournalFailed says that a record could not be made durable. The effects that came
// after it were not carried out.
type JournalFailed struct {
	At  time.Time
	Err error
}

// Interrupted is a wish to stop that is no answer to a question.
type Interrupted struct {
	At   time.Time
	Kind rollout.Interruption
	Why  string
	Exit rollout.ExitCode // with Detach: of a run that has sent nothing yet; 0 = ExitPaused
}

func (e Tick) at() time.Time           { return e.At }
func (e StatusRead) at() time.Time     { return e.At }
func (e ConfigureEnded) at() time.Time { return e.At }
func (e Verified) at() time.Time       { return e.At }
func (e Answered) at() time.Time       { return e.At }
func (e JournalFailed) at() time.Time  { return e.At }
func (e Interrupted) at() time.Time    { return e.At }

// Do is something that the Driver has to do. Those of one Apply are carried out in
// order; when a Record fails, those after it are dropped.
type Do interface{ do() }

// Record is a journal record to be written, and on the disk where its kind asks for
// that, before the next.
type Record struct{ Rec journal.Record }

// ReadStatus asks a compute how it is.
type ReadStatus struct{ Item int }

// Configure sends the item's spec once. Its intent was recorded before.
type Configure struct {
	Item    int
	Eff     string
	Attempt int
	Limit   time.Duration
}

// Forget ends the wait for a Configure. The compute goes on.
type Forget struct{ Item int }

// Verify reads what shows of the item's changes.
type Verify struct{ Item int }

// Finish ends the run: release what the Driver holds.
type Finish struct{}

func (Record) do()     {}
func (ReadStatus) do() {}
func (Configure) do()  {}
func (Forget) do()     {}
func (Verify) do()     {}
func (Finish) do()     {}
