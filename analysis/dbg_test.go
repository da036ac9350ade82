package analysis
import ("testing";"os";"fmt";"context"
"github.com/warplint/warplint/analysis/syntax"
"github.com/warplint/warplint/analysis/lower"
"github.com/warplint/warplint/analysis/source"
"github.com/warplint/warplint/analysis/access"
"github.com/warplint/warplint/analysis/meet"
"github.com/warplint/warplint/analysis/witness"
"github.com/warplint/warplint/analysis/term"
)
func TestDbg(t *testing.T) {
 p := os.Getenv("F"); if p=="" {return}
 b,_ := os.ReadFile(p)
 files := source.Map{p: source.New(p,string(b))}
 u := syntax.Parse(context.Background(), files, p, syntax.Config{}, nil)
 m := lower.Module(u)
 for _, k := range m.Kernels {
  if n := os.Getenv("K"); n != "" && n != k.Name { continue }
  fmt.Println(k)
  tb := term.NewTable()
  for _, l := range launches(context.Background(), tb, k, hostsOf(m,k)) {
   s := access.Summarize(context.Background(), tb, k, l, [3]int{}, [3]int{})
   if l != nil { fmt.Println("LAUNCH", l.Grid, l.Block, s.Given) }
   for _, a := range s.Accesses { fmt.Println(a.Kind, a.Base.Name, a.Off, a.When) }
   fmt.Println(s.Reasons, s.Assumes)
   o := meet.Pairs(context.Background(), s)
   for _, c := range o.Candidates { fmt.Println("CAND", c.Kind, c.A.Kind, c.A.Off, c.B.Kind, c.B.Off, c.Mode, c.Miss) }
   r := witness.Find(context.Background(), s, o.Candidates)
   fmt.Println(len(r.Races), r.Reasons, "runs", r.Runs)
  }
 }
}
