/* Clusters points by the nearest mean: the host side, in C. means -k CLUSTERS -i FILE, where FILE has, in
   binary, the number of points, the number of features and then float after float. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void cluster_setup(const float *points, int count, int features, int clusters);
int cluster_assign(const float *means, int *membership);
void cluster_done(void);

int main(int argc, char **argv) {
  int clusters = 3, option, header[2], rounds = 0, changed, i, j, *membership, *members;
  const char *path = NULL;
  float *points, *means;
  double spread = 0;
  FILE *f;
  while ((option = getopt(argc, argv, "k:i:")) != EOF) {
    switch (option) {
      case 'k': clusters = atoi(optarg); break;
      case 'i': path = optarg; break;
      default: return 2;
    }
  }
  if (!path || !(f = fopen(path, "rb")) || fread(header, sizeof(int), 2, f) != 2) {
    fprintf(stderr, "means: no file with points\n");
    return 1;
  }
  int count = header[0], features = header[1];
  points = malloc(sizeof(float) * count * features);
  if (fread(points, sizeof(float) * features, count, f) != (size_t)count) {
    fprintf(stderr, "means: the file is cut short\n");
    return 1;
  }
  fclose(f);
  means = malloc(sizeof(float) * clusters * features);
  members = malloc(sizeof(int) * clusters);
  membership = malloc(sizeof(int) * count);
  for (i = 0; i < count; i++) membership[i] = -1;
  for (i = 0; i < clusters * features; i++) means[i] = points[i];
  cluster_setup(points, count, features, clusters);
  do {
    changed = cluster_assign(means, membership);
    for (i = 0; i < clusters; i++) members[i] = 0;
    for (i = 0; i < clusters * features; i++) means[i] = 0;
    for (i = 0; i < count; i++) {
      members[membership[i]]++;
      for (j = 0; j < features; j++) means[membership[i] * features + j] += points[i * features + j];
    }
    for (i = 0; i < clusters * features; i++) means[i] /= (float)(members[i / features] ? members[i / features] : 1);
  } while (changed > 0 && ++rounds < 100);
  cluster_done();
  for (i = 0; i < count; i++)
    for (j = 0; j < features; j++) {
      double d = points[i * features + j] - means[membership[i] * features + j];
      spread += d * d;
    }
  for (i = 0; i < clusters; i++) printf("%d ", members[i]);
  printf("rounds %d, spread %.4f\n", rounds, sqrt(spread));
  return 0;
}
