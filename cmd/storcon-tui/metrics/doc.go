// Package metrics says in the form of Prometheus what a process knows of its clusters: the
// newest Snapshot, the release that is read out of these, and the run that it drives. That is
// looked up when somebody scrapes; between scrapes nothing is copied, counted or kept.
//
// It knows no screen, asks nothing of a cluster, and shows no secret: names of clusters,
// nodes' ids, zones and builds, a run's id, states and times. There is no authentication.
package metrics
