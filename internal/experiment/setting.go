package experiment

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay"
)

// checkValue says why PostgreSQL would not take a value for a setting.
func checkValue(s pgassay.SettingState, value string) error {
	switch s.VarType {
	case "bool":
		if !isBool(value) {
			return pgassay.WithHint(errors.New("is not a boolean"), "write on or off")
		}
	case "enum":
		return checkEnum(s, value)
	case "integer", "real":
		return checkNumber(s, value)
	}
	return nil
}

// isBool is parse_bool of PostgreSQL: whole words, their beginnings, 1 and 0.
func isBool(value string) bool {
	v := strings.ToLower(value)
	switch v {
	case "", "o":
		return false
	case "0", "1":
		return true
	}
	for _, word := range []string{"true", "false", "yes", "no", "on", "off"} {
		if strings.HasPrefix(word, v) {
			return true
		}
	}
	return false
}

func checkEnum(s pgassay.SettingState, value string) error {
	for _, v := range s.EnumValues {
		if strings.EqualFold(v, value) {
			return nil
		}
		// enums that grew out of a boolean keep its words as hidden spellings
		if (v == "on" || v == "off") && isBool(value) {
			return nil
		}
	}
	return pgassay.WithHint(errors.New("is not one of its values"), didYouMean(value, s.EnumValues))
}

func checkNumber(s pgassay.SettingState, value string) error {
	q, ok, err := parseQuantity(value)
	if err != nil {
		return err
	}
	if hex, hexErr := strconv.ParseInt(value, 0, 64); !ok && hexErr == nil {
		q, ok = quantity{number: float64(hex)}, true
	}
	if !ok {
		return errors.New("is not a number")
	}
	v, err := q.in(s.Unit)
	if err != nil {
		return pgassay.WithHint(errors.New("does not fit"), err.Error())
	}
	if s.VarType == "integer" {
		v = math.RoundToEven(v) // as guc.c does before it looks at the range
	}
	low, lowErr := strconv.ParseFloat(s.Min, 64)
	high, highErr := strconv.ParseFloat(s.Max, 64)
	if lowErr == nil && v < low || highErr == nil && v > high {
		limits := fmt.Sprintf("%s … %s", formatQuantity(low, s.Unit), formatQuantity(high, s.Unit))
		return pgassay.WithHint(fmt.Errorf("is outside %s", limits), bareUnit(s, q))
	}
	return nil
}

// bareUnit reminds of the unit that a bare number has.
func bareUnit(s pgassay.SettingState, q quantity) string {
	if q.unit.name != "" || s.Unit == "" {
		return ""
	}
	return "a number without a unit counts in " + s.Unit
}
