// This file defines the reader of compute-sanitizer's XML (--xml --save). It has no published
// schema; what is read here is what version 2025.3.1 writes. It has neither severities nor a
// summary: it is complete when its root element is closed.

package racecheck

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/warplint/warplint/analysis/race"
)

const xmlRoot = "ComputeSanitizerOutput"

type xmlRecord struct {
	Kind string `xml:"kind"`
	What struct {
		Common struct {
			Type        string  `xml:"type"`
			Address     string  `xml:"address"`
			Block       *xmlDim `xml:"blockIdx"`
			Current     string  `xml:"current"`
			Incoming    string  `xml:"write"`
			IsBarrierOp string  `xml:"isCudaBarrierOp"`
		} `xml:"common"`
		First  xmlAccess `xml:"thread0"`
		Second xmlAccess `xml:"thread1"`
	} `xml:"what"`
}

type xmlAccess struct {
	Access string  `xml:"access"`
	Thread *xmlDim `xml:"threadIdx"`
	Where  struct {
		Func string `xml:"func"`
		Path string `xml:"path"`
		Line string `xml:"line"`
		PC   string `xml:"pc"`
	} `xml:"where"`
}

type xmlDim struct {
	X string `xml:"x"`
	Y string `xml:"y"`
	Z string `xml:"z"`
}

func parseXML(r *Report, text string) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	inside := false
	for {
		token, err := decoder.Token()
		if err != nil {
			closeXML(r, err, inside)
			return
		}
		start, ok := token.(xml.StartElement)
		switch {
		case !ok:
		case !inside && start.Name.Local != xmlRoot:
			r.gap("the XML is not compute-sanitizer's: it begins with <%s>", start.Name.Local)
			return
		case !inside:
			inside = true
		default:
			line, _ := decoder.InputPos()
			var record xmlRecord
			if err := decoder.DecodeElement(&record, &start); err != nil {
				closeXML(r, err, inside)
				return
			}
			readRecord(r, &record, start.Name.Local, line)
		}
	}
}

// closeXML judges how the text ends.
func closeXML(r *Report, err error, inside bool) {
	switch {
	case !errors.Is(err, io.EOF):
		r.gap("the XML breaks off or is broken, so it is incomplete: %v", err)
	case !inside:
		r.gap("the XML is not compute-sanitizer's: it has no <%s>", xmlRoot)
	}
}

func readRecord(r *Report, x *xmlRecord, element string, line int) {
	if element != "record" || strings.TrimSpace(x.Kind) != "Hazard" {
		r.unknown(line, element+" of kind "+strings.TrimSpace(x.Kind))
		r.gap("the record in line %d is of kind %q, which is not understood", line, strings.TrimSpace(x.Kind))
		return
	}
	common := &x.What.Common
	record := Record{Count: 1, Address: hexText(common.Address),
		Current: strings.TrimSpace(common.Current), Incoming: strings.TrimSpace(common.Incoming)}
	if t := strings.TrimSpace(common.Type); typeNames[t] != "" {
		record.Type = t
	}
	if strings.TrimSpace(common.IsBarrierOp) == "true" {
		record.Note = barrierNote
	}
	var ok [3]bool
	record.Block, ok[0] = common.Block.dim()
	record.First, ok[1] = x.What.First.access(line)
	record.Second, ok[2] = x.What.Second.access(line)
	if ok != [3]bool{true, true, true} {
		r.unknown(line, "record")
		r.gap("the hazard in line %d is not understood", line)
		return
	}
	r.add(record)
}

func (x *xmlAccess) access(line int) (Access, bool) {
	a := Access{Access: access(strings.TrimSpace(x.Access))}
	thread, ok := x.Thread.dim()
	a.Thread = thread
	w := &x.Where
	place := Place{Func: strings.TrimSpace(w.Func), PC: hexText(w.PC), At: line}
	a.Place = located(place, strings.TrimSpace(w.Path), strings.TrimSpace(w.Line))
	known := a.Access == race.Read || a.Access == race.Write || a.Access == race.Atomic
	return a, ok && known && (a.Func != "" || a.Path != "")
}

func (x *xmlDim) dim() (race.Dim3, bool) {
	if x == nil {
		return race.Dim3{}, false
	}
	return dim([]string{strings.TrimSpace(x.X), strings.TrimSpace(x.Y), strings.TrimSpace(x.Z)})
}

// hexText brings "0x0040" into the form of hex; what is no such number stays as it is.
func hexText(text string) string {
	text = strings.TrimSpace(text)
	if digits, found := strings.CutPrefix(text, "0x"); found && digits != "" {
		return hex(digits)
	}
	return text
}
