package hist

import (
	"encoding/base64"
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Encode returns h in HdrHistogram's V2 compressed encoding, without base64.
// Any HdrHistogram implementation reads it; values are nanoseconds.
func (h *Histogram) Encode() ([]byte, error) {
	text, err := hdr.Import(&hdr.Snapshot{
		LowestTrackableValue: lowestNS, HighestTrackableValue: highestNS, SignificantFigures: digits, Counts: h.counts,
	}).EncodeV2()
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(raw, text)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return raw[:n], nil
}

// Decode reads what [Histogram.Encode] or another HdrHistogram of nanoseconds
// wrote. A histogram with other buckets is mapped onto ours by the middle of
// each of its buckets; values above an hour become one hour and count as
// [Histogram.Over].
func Decode(encoded []byte) (*Histogram, error) {
	text := make([]byte, base64.StdEncoding.EncodedLen(len(encoded)))
	base64.StdEncoding.Encode(text, encoded)
	foreign, err := hdr.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	h := New()
	s := foreign.Export()
	if s.LowestTrackableValue == lowestNS && s.HighestTrackableValue == highestNS && s.SignificantFigures == digits && len(s.Counts) == countsSize {
		h.counts = s.Counts
		for i, n := range h.counts {
			low, high := bounds(i)
			h.total += n
			h.sum += n * (low + (high-low)/2)
		}
		return h, nil
	}
	for _, bar := range foreign.Distribution() {
		if bar.Count == 0 {
			continue
		}
		v := bar.From + (bar.To-bar.From)/2
		if v > highestNS {
			v = highestNS
			h.over += bar.Count
		}
		h.counts[indexOf(max(v, 0))] += bar.Count
		h.total += bar.Count
		h.sum += bar.Count * max(v, 0)
	}
	return h, nil
}
