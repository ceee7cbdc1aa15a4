/* The rounds of a bandit simulation as a plain C loop: the yardstick of `python -m benchmarks`.
 *
 * Same rewards (Philox4x32-7, counter = round, arm, replication, 0), same arithmetic in the same
 * order, same ties (to the first arm), and so the same regret to the last bit. `play` is one
 * fused loop; each policy is a set of small functions that the compiler puts into its own copy.
 * From round to round it keeps only the numbers of pulls and the sums of rewards.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

static const double PI = 3.141592653589793;

typedef struct {
    int64_t n_arms;
    int64_t horizon;
    uint64_t seed;
    const double *means;
    const double *gaps;
    double parameter; /* UCB: alpha; GP-UCB: delta */
    double sigma;     /* Gaussian rewards, and the prior that GP-UCB assumes */
    double prior_mean;
    double prior_sd;
} Study;

/* The pulls and rewards of one arm so far. */
typedef struct {
    double pulls;
    double sum;
} Arm;

typedef double Sampler(const Study *study, double mean, double u);
typedef double Level(const Study *study, int64_t t);
typedef double Index(const Study *study, Arm arm, double level);
typedef int Prefer(Arm arm, Arm other);

/* ---- random numbers -------------------------------------------------------------------------- */

/* A uniform number in (0, 1): 52 of the first 64 bits of Philox4x32-7. */
INLINE double uniform(uint64_t seed, uint32_t t, uint32_t arm, uint32_t replication)
{
    uint32_t c0 = t, c1 = arm, c2 = replication, c3 = 0;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 7; round++) {
        uint64_t left = (uint64_t)0xD2511F53 * c0, right = (uint64_t)0xCD9E8D57 * c2;
        c0 = (uint32_t)(right >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)right;
        c2 = (uint32_t)(left >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)left;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return ((double)(int64_t)(((uint64_t)c0 << 20) + (c1 >> 12)) + 0.5) * 0x1p-52;
}

/* The normal quantile function: AS 241, PPND16 (Wichura 1988). */
INLINE double normal_quantile(double p)
{
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        double top = 2509.0809287301226727 * r + 33430.575583588128105;
        top = (top * r + 67265.770927008700853) * r + 45921.953931549871457;
        top = (top * r + 13731.693765509461125) * r + 1971.5909503065514427;
        top = (top * r + 133.14166789178437745) * r + 3.387132872796366608;
        double low = 5226.495278852854561 * r + 28729.085735721942674;
        low = (low * r + 39307.89580009271061) * r + 21213.794301586595867;
        low = (low * r + 5394.1960214247511077) * r + 687.1870074920579083;
        low = (low * r + 42.313330701600911252) * r + 1.0;
        return q * top / low;
    }
    double s = sqrt(-log(q < 0.0 ? p : 1.0 - p));
    double top, low;
    if (s <= 5.0) {
        double r = s - 1.6;
        top = 7.7454501427834140764e-4 * r + 0.0227238449892691845833;
        top = (top * r + 0.24178072517745061177) * r + 1.27045825245236838258;
        top = (top * r + 3.64784832476320460504) * r + 5.7694972214606914055;
        top = (top * r + 4.6303378461565452959) * r + 1.42343711074968357734;
        low = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4;
        low = (low * r + 0.0151986665636164571966) * r + 0.14810397642748007459;
        low = (low * r + 0.68976733498510000455) * r + 1.6763848301838038494;
        low = (low * r + 2.05319162663775882187) * r + 1.0;
    } else {
        double r = s - 5.0;
        top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5;
        top = (top * r + 0.0012426609473880784386) * r + 0.026532189526576123093;
        top = (top * r + 0.29656057182850489123) * r + 1.7848265399172913358;
        top = (top * r + 5.4637849111641143699) * r + 6.6579046435011037772;
        low = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7;
        low = (low * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4;
        low = (low * r + 0.0148753612908506148525) * r + 0.13692988092273580531;
        low = (low * r + 0.59983220655588793769) * r + 1.0;
    }
    return q < 0.0 ? -(top / low) : top / low;
}

INLINE double bernoulli(const Study *study, double mean, double u)
{
    (void)study;
    return u < mean ? 1.0 : 0.0;
}

INLINE double gaussian(const Study *study, double mean, double u)
{
    return mean + study->sigma * normal_quantile(u);
}

INLINE double exponential(const Study *study, double mean, double u)
{
    (void)study;
    return mean * -log(u);
}

/* ---- policies -------------------------------------------------------------------------------- */

INLINE double log_t(const Study *study, int64_t t)
{
    (void)study;
    return log((double)t);
}

/* RBMLE: alpha(t) = (log t)^1.5 */
INLINE double rbmle_level(const Study *study, int64_t t)
{
    double level = log_t(study, t);
    return sqrt(level) * level;
}

INLINE double rbmle_gaussian_index(const Study *study, Arm arm, double level)
{
    (void)study;
    return arm.sum / arm.pulls + level / (2.0 * arm.pulls);
}

INLINE double rbmle_exponential_index(const Study *study, Arm arm, double level)
{
    (void)study;
    return arm.sum > 0.0 ? -arm.pulls * log1p(level / arm.sum) : -INFINITY;
}

INLINE double negative_entropy(double p)
{
    double value = p > 0.0 ? p * log(p) : 0.0;
    return p < 1.0 ? value + (1.0 - p) * (p > 0.01 ? log(1.0 - p) : log1p(-p)) : value;
}

INLINE double rbmle_bernoulli_index(const Study *study, Arm arm, double level)
{
    (void)study;
    double mean = arm.sum / arm.pulls;
    double biased = mean + level / arm.pulls;
    if (biased >= 1.0)
        return INFINITY;
    return arm.pulls * (negative_entropy(biased) - negative_entropy(mean));
}

INLINE double ucb_index(const Study *study, Arm arm, double level)
{
    return arm.sum / arm.pulls + sqrt(study->parameter * level / arm.pulls);
}

INLINE double moss_level(const Study *study, int64_t t)
{
    (void)t;
    return (double)study->horizon / (double)study->n_arms;
}

INLINE double moss_index(const Study *study, Arm arm, double level)
{
    (void)study;
    double bonus = log(level / arm.pulls);
    return arm.sum / arm.pulls + sqrt((bonus > 0.0 ? bonus : 0.0) / arm.pulls);
}

INLINE double gpucb_level(const Study *study, int64_t t)
{
    double x = (double)t * PI;
    return sqrt(2.0 * log((double)study->n_arms * (x * x) / (6.0 * study->parameter)));
}

INLINE double gpucb_index(const Study *study, Arm arm, double level)
{
    double variance = study->sigma * study->sigma;
    double prior = study->prior_sd * study->prior_sd;
    double precision = 1.0 / prior + arm.pulls / variance;
    double mean = (study->prior_mean / prior + arm.sum / variance) / precision;
    return mean + 1.0 / sqrt(precision) * level;
}

/* Equal indices: the first arm wins, ... */
INLINE int first_arm(Arm arm, Arm other)
{
    (void)arm;
    (void)other;
    return 0;
}

/* ... except that infinite indices rank by failures, then by pulls, the fewer the better. */
INLINE int fewer_failures(Arm arm, Arm other)
{
    double excess = arm.sum - arm.pulls, other_excess = other.sum - other.pulls;
    return excess != other_excess ? excess > other_excess : other.pulls > arm.pulls;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Play replications 0, 1, ... and write the final regret of each; 0 unless memory runs out. */
INLINE int play(const Study *study, int64_t replications, double *regret, Sampler *sample,
                Level *level_at, Index *index_of, Prefer *prefer)
{
    int64_t n_arms = study->n_arms;
    Arm *arms = malloc((size_t)n_arms * sizeof *arms);
    if (arms == NULL)
        return 1;
    for (int64_t replication = 0; replication < replications; replication++) {
        for (int64_t i = 0; i < n_arms; i++)
            arms[i] = (Arm){0.0, 0.0};
        for (int64_t t = 1; t <= study->horizon; t++) {
            int64_t chosen = 0;
            if (t <= n_arms) {
                chosen = t - 1;
            } else {
                double level = level_at(study, t);
                double best = -INFINITY;
                for (int64_t i = 0; i < n_arms; i++) {
                    double index = index_of(study, arms[i], level);
                    if (index > best) {
                        best = index;
                        chosen = i;
                    } else if (index == INFINITY && prefer(arms[i], arms[chosen])) {
                        chosen = i;
                    }
                }
            }
            double u = uniform(study->seed, (uint32_t)t, (uint32_t)chosen, (uint32_t)replication);
            arms[chosen].pulls += 1.0;
            arms[chosen].sum += sample(study, study->means[chosen], u);
        }
        double total = 0.0;
        for (int64_t i = 0; i < n_arms; i++)
            total += arms[i].pulls * study->gaps[i];
        regret[replication] = total;
    }
    free(arms);
    return 0;
}

#define POLICY(name, sample, level_at, index_of, prefer)                                           \
    int name(const Study *study, int64_t replications, double *regret)                             \
    {                                                                                              \
        return play(study, replications, regret, sample, level_at, index_of, prefer);              \
    }

POLICY(rbmle_gaussian, gaussian, rbmle_level, rbmle_gaussian_index, first_arm)
POLICY(rbmle_bernoulli, bernoulli, rbmle_level, rbmle_bernoulli_index, fewer_failures)
POLICY(rbmle_exponential, exponential, rbmle_level, rbmle_exponential_index, first_arm)
POLICY(ucb_gaussian, gaussian, log_t, ucb_index, first_arm)
POLICY(ucb_bernoulli, bernoulli, log_t, ucb_index, first_arm)
POLICY(moss_gaussian, gaussian, moss_level, moss_index, first_arm)
POLICY(gpucb_gaussian, gaussian, gpucb_level, gpucb_index, first_arm)
