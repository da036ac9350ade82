package causality_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// section is a critical section of some lines; T in them is the thread.
func section(thread, lock string, lines ...string) string {
	text := "T cas " + lock + " 0 1\nT fence device\n" + strings.Join(lines, "\n") + "\nT fence device\nT exch " + lock + " 0\n"
	return strings.ReplaceAll(text, "T", thread)
}

// swapped is section for a lock that is taken by an exchange.
func swapped(thread, lock string, lines ...string) string {
	return strings.Replace(section(thread, lock, lines...), "cas "+lock+" 0 1", "exch "+lock+" 1", 1)
}

// many are n lines that differ by the word of an array.
func many(format string, n int) string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(format, 4*i))
	}
	return strings.Join(lines, "\n")
}

func TestLockset(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"one lock", "grid 2 64\n" + section("0.0", "l", "T read x", "T write x") + section("1.0", "l", "T read x", "T write x"), nil},
		{"one lock, three blocks, volatile", "grid 3 64\n" + section("0.0", "l", "T vread x", "T vwrite x") + section("1.0", "l", "T vread x", "T vwrite x") +
			section("2.0", "l", "T vread x", "T vwrite x") + section("0.0", "l", "T vread x", "T vwrite x"), nil},
		{"no lock before", "grid 2 64\n0.0 write x\n" + section("0.0", "l", "T write y") + section("1.0", "l", "T write x"), []string{"2 10 lock-mismatch warning"}},
		{"no lock behind", "grid 2 64\n" + section("0.0", "l", "T write x") + section("1.0", "l", "T write y") + "1.0 write x", []string{"4 12 lock-mismatch warning"}},
		{"no fence behind the first taking", "grid 2 64\n" + strings.Replace(section("0.0", "l", "T write x"), "0.0 fence device\n", "", 1) + section("1.0", "l", "T write x"),
			[]string{"3 8 lock-fence warning"}},
		{"a narrow fence behind the first taking", "grid 2 64\n" + strings.Replace(section("0.0", "l", "T write x"), "fence device", "fence block", 1) + section("1.0", "l", "T write x"),
			[]string{"4 9 lock-scope warning"}},
		{"other locks, ordered by a third", "grid 2 64\n0.0 cas m 0 1\n0.0 exch m 0\n1.0 cas n 0 1\n1.0 exch n 0\n" + section("0.0", "m", "T write x") + section("0.0", "l", "T write y") +
			section("1.0", "l", "T write y") + section("1.0", "n", "T write x"), []string{"8 23 lock-mismatch warning"}},
		{"a lock of each lane", "grid 2 64\n" + section("0.0-31", "l[]", "T write x[]") + section("1.0-31", "l[]", "T write x[]"), nil},
		{"no lock behind, of each lane", "grid 2 64\n" + section("0.0-31", "l[]", "T write x[]") + section("1.0-31", "l[]", "T write n[]") + "1.0-31 write x[]",
			[]string{"4 12 lock-mismatch warning"}},
		{"a lock of each lane, given back by another lane", "grid 2 64\n0.0-30 cas l[] 0 1\n0.0-30 fence device\n0.0-30 write x[]\n0.0-31 syncwarp\n0.0-31 fence device\n0.1-31 exch l+-4[] 0\n" +
			section("1.0-30", "l[]", "T write n[]") + "1.0-30 write x[]", []string{"4 13 lock-mismatch warning"}},
		{"two locks, one in common", "grid 2 64\n" + section("0.0", "m", section("T", "l", "T write x")) + section("1.0", "l", "T write x"), nil},
		{"ordered by a barrier", "grid 1 64\n0.0 write x\n0 barrier\n" + section("0.0", "l", "T write x") + section("0.32", "l", "T write x") + "0 barrier\n0.32 write x", nil},
		{"handed over by a counter", "grid 2 64\n" + section("0.0", "l", "T write x") + section("1.0", "l", "T write x") +
			"0.0 fence device\n0.0 atomic c\n0.0 fence device\n1.0 fence device\n1.0 atomic c\n1.0 fence device\n1.0 write x", nil},
		{"a block's lock taken by one thread", "grid 2 64\n0.0 cas l 0 1\n0.0 fence device\n0 barrier\n0.40 write x\n0 barrier\n0.0 fence device\n0.0 exch l 0\n" +
			"1.0 cas l 0 1\n1.0 fence device\n1 barrier\n1.50 write x\n1 barrier\n1.0 fence device\n1.0 exch l 0", nil},
		{"a claim is no lock", "grid 2 64\n0.0 cas c 0 1\n0.0 write x\n0.0 fence device\n0.0 exch f 1\n1.0 exch f 0\n1.0 fence device\n1.0 read x", nil},
		{"a claim is no lock whose scope could be too narrow", "grid 2 64\n0.0 cas c 0 1\n1.0 cas d 0 1\n0.0 fence device\n0.0 atomic x block\n1.0 fence device\n1.0 atomic x block",
			[]string{"5 7 atomic-scope error"}},
		{"the lock's scope, in the first section", "grid 2 64\n0.0 cas l 0 1\n1.0 cas m 0 1\n0.0 fence device\n0.0 atomic x block\n1.0 fence device\n1.0 atomic x block\n1.0 exch m 0",
			[]string{"5 7 lock-scope error"}},
		{"a lock among many claims", "grid 2 64\n" + section("0.0", "l", many("0.0 cas c+%d 0 1", 1200), "T write x") + section("1.0", "l", "T write x") + section("1.0", "l", "T write y") + "0.0 write y", []string{"1214 1217 inter-block-race error"}},
		{"nobody knows what locks are among many claims", "grid 2 64\n" + many("0.0 cas c+%d 0 1", 1200) + "\n" + section("0.0", "l", "T write x") + section("1.0", "l", "T write y") + "1.0 write x", nil},
		{"taken by an exchange", "grid 2 64\n" + swapped("0.0", "l", "T read x", "T write x") + swapped("1.0", "l", "T read x", "T write x"), nil},
		{"taken by an exchange, no lock behind", "grid 2 64\n" + swapped("0.0", "l", "T write x") + swapped("1.0", "l", "T write y") + "1.0 write x",
			[]string{"4 12 lock-mismatch warning"}},
		{"taken by an exchange, no fence behind", "grid 2 64\n" + swapped("0.0", "l", "T write x") + strings.Replace(swapped("1.0", "l", "T write x"), "1.0 fence device\n", "", 1),
			[]string{"4 8 lock-fence warning"}},
		{"a list that another one empties is no lock", "grid 2 64\n0.0 exch h 1\n0.0 exch h 0\n1.0 exch h 2\n1.0 write x\n1.0 fence device\n1.0 exch h 3\n0.0 exch h 0\n0.0 fence device\n0.0 write x", nil},
		{"mailboxes of two warps are no locks", "grid 1 64\n0.0 write x\n0.0 fence block\n0.0 exch f 1\n0.0 write y\n0.0 fence block\n0.0 exch g 1\n" +
			"0.32 cas f 9 9\n0.32 fence block\n0.32 read x\n0.32 exch f 0\n0.32 cas g 9 9\n0.32 fence block\n0.32 read y\n0.32 exch g 0", nil},
		{"a happened race is no suspicion", "grid 2 64\n" + section("0.0", "l", "T write x") + "1.0 write x", []string{"4 7 inter-block-race error"}},
	} {
		if got := scripted(t, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q\n%s", test.name, got, test.want, test.text)
		}
	}
}
