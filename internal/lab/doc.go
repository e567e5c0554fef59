// Package lab puts the rooms together: it asks the plan for the next step,
// has it carried out and records what came of it, until the plan says stop.
package lab
