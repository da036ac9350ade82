#include <omp.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
int main(){const int n=1003;std::vector<int>a(n,0);long s=0;int mx=0;bool ok=true;
#pragma omp parallel for schedule(dynamic,7) reduction(+:s) reduction(max:mx)
for(int i=0;i<n;i++){a[i]+=i;s+=i;if(i>mx)mx=i;}
for(int i=0;i<n;i++)ok&=a[i]==i;ok&=s==502503&&mx==1002;
#pragma omp parallel for schedule(static,3) num_threads(5)
for(int i=n-1;i>=0;i-=2)a[i]=-1;
for(int i=0;i<n;i++)ok&=a[i]==(i%2==0?-1:i);
int singles=0,crit=0,tasks=0,masters=0,lastv=-1;
#pragma omp parallel num_threads(4)
{
#pragma omp single
 {singles++;for(int k=0;k<5;k++){
#pragma omp task firstprivate(k)
 {
#pragma omp atomic
 tasks+=k;}}}
#pragma omp critical
 crit++;
#pragma omp barrier
#pragma omp master
 masters++;
#pragma omp for lastprivate(lastv) schedule(guided) nowait
 for(size_t i=0;i<100;i++)lastv=(int)i;
#pragma omp for collapse(2)
 for(int i=0;i<10;i++)for(int j=0;j<10;j++){
#pragma omp atomic
  crit++;}
#pragma omp sections
 {
#pragma omp section
 {
#pragma omp atomic
 singles+=10;}
#pragma omp section
 {
#pragma omp atomic
 singles+=100;}
 }
}
ok&=singles==111&&crit==104&&tasks==10&&masters==1&&lastv==99;
omp_set_num_threads(3);int t=0;
#pragma omp parallel
{
#pragma omp single
t=omp_get_num_threads();}
int d;cudaGetDeviceCount(&d);puts(ok && t == 3 ? "done" : "wrong");}
