//! Fitting the Universal Scalability Law.

use super::UslFit;

/// The law that comes nearest to `points` (number, calls per second), by the least squares of
/// relative residuals; `None` with fewer than two numbers or a rate that is no rate.
///
/// With two points κ is 0: nothing could tell it from σ. For a given λ the law is linear in σ and κ
/// (Gunther's `n/X − 1/λ` transform); λ itself is searched between half and twice of what the
/// points allow.
pub(super) fn fit(points: &[(f64, f64)]) -> Option<UslFit> {
    let sound = |&(n, x): &(f64, f64)| n >= 1.0 && x.is_finite() && x > 0.0;
    if points.len() < 2 || !points.iter().all(sound) {
        return None;
    }
    let with_pairs = points.len() > 2;
    // The rate of one, were each point linear: the true λ is at least the largest of these that
    // noise allows, since neither σ nor κ makes anything faster.
    let each = points.iter().map(|(n, x)| x / n);
    let (least, most) = each.fold((f64::INFINITY, 0.0f64), |(lo, hi), v| (lo.min(v), hi.max(v)));
    let candidate = |log: f64| coefficients(points, log.exp(), with_pairs);
    let log = golden_section((least * 0.5).ln(), (most * 2.0).ln(), |l| candidate(l).residual);
    Some(candidate(log))
}

/// The best σ and κ, neither below 0, for this λ.
fn coefficients(points: &[(f64, f64)], lambda: f64, with_pairs: bool) -> UslFit {
    // z = λn/X − 1 = σ(n−1) + κn(n−1); weighted so that residuals are relative to the rate.
    let (mut aa, mut ab, mut bb, mut az, mut bz) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(n, x) in points {
        let weight = (x / (lambda * n)).powi(2);
        let (a, b, z) = (n - 1.0, n * (n - 1.0), lambda * n / x - 1.0);
        aa += weight * a * a;
        ab += weight * a * b;
        bb += weight * b * b;
        az += weight * a * z;
        bz += weight * b * z;
    }
    let alone = |numerator: f64, denominator: f64| {
        if denominator > 0.0 { (numerator / denominator).max(0.0) } else { 0.0 }
    };
    let mut tried = vec![(alone(az, aa), 0.0)];
    if with_pairs {
        tried.push((0.0, alone(bz, bb)));
        let determinant = aa * bb - ab * ab;
        if determinant > 1e-12 * aa * bb {
            let (sigma, kappa) =
                ((az * bb - bz * ab) / determinant, (bz * aa - az * ab) / determinant);
            if sigma >= 0.0 && kappa >= 0.0 {
                tried.push((sigma, kappa));
            }
        }
    }
    let fits = tried.into_iter().map(|(sigma, kappa)| {
        let mut fit = UslFit { lambda, sigma, kappa, residual: 0.0 };
        let squares = points.iter().map(|&(n, x)| (fit.rate(n) / x - 1.0).powi(2));
        fit.residual = (squares.sum::<f64>() / points.len() as f64).sqrt();
        fit
    });
    fits.min_by(|a, b| a.residual.total_cmp(&b.residual)).unwrap_or(UslFit {
        lambda,
        sigma: 0.0,
        kappa: 0.0,
        residual: f64::INFINITY,
    })
}

impl UslFit {
    /// Calls per second that the law gives `n`.
    pub fn rate(&self, n: f64) -> f64 {
        self.lambda * n / (1.0 + self.sigma * (n - 1.0) + self.kappa * n * (n - 1.0))
    }
}

/// Where `cost` is least between `from` and `to` (Kiefer 1953).
fn golden_section(mut from: f64, mut to: f64, cost: impl Fn(f64) -> f64) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_895;
    let (mut left, mut right) = (to - RATIO * (to - from), from + RATIO * (to - from));
    let (mut at_left, mut at_right) = (cost(left), cost(right));
    for _ in 0..80 {
        if at_left <= at_right {
            to = right;
            (right, at_right) = (left, at_left);
            left = to - RATIO * (to - from);
            at_left = cost(left);
        } else {
            from = left;
            (left, at_left) = (right, at_right);
            right = from + RATIO * (to - from);
            at_right = cost(right);
        }
    }
    f64::midpoint(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_fitted_to_nothing() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(1.0, 5.0)]), None);
        assert_eq!(fit(&[(1.0, 5.0), (2.0, f64::NAN)]), None);
        assert_eq!(fit(&[(1.0, 5.0), (2.0, 0.0)]), None);
    }

    /// The published HPET, both sockets: 1.55, 2.18, 2.20, 2.14 million calls a second.
    #[test]
    fn the_published_hpet_is_contended() {
        let found = fit(&[(1.0, 1.55e6), (2.0, 2.18e6), (3.0, 2.20e6), (4.0, 2.14e6)]).unwrap();
        assert!(found.residual < 0.05, "{found:?}");
        assert!(found.sigma + found.kappa > 0.1, "{found:?}");
        assert!((found.rate(4.0) / 2.14e6 - 1.0).abs() < 0.1);
    }

    proptest! {
        #[test]
        fn a_law_is_recovered_from_its_own_points(
            lambda in 1e5..1e9f64,
            sigma in 0.0..1.0f64,
            kappa in 0.0..0.1f64,
        ) {
            let law = UslFit { lambda, sigma, kappa, residual: 0.0 };
            let points: Vec<(f64, f64)> =
                [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0].map(|n| (n, law.rate(n))).to_vec();
            let found = fit(&points).unwrap();
            prop_assert!(found.residual < 1e-3, "{found:?}");
            prop_assert!((found.lambda / lambda - 1.0).abs() < 0.02, "{found:?}");
        }

        #[test]
        fn noise_neither_panics_nor_gives_negative_coefficients(
            rates in prop::collection::vec(1.0..1e9f64, 2..12),
        ) {
            let points: Vec<(f64, f64)> =
                rates.iter().enumerate().map(|(i, &x)| (i as f64 + 1.0, x)).collect();
            let found = fit(&points).unwrap();
            prop_assert!(found.sigma >= 0.0 && found.kappa >= 0.0 && found.lambda > 0.0);
            prop_assert!(found.residual.is_finite());
        }
    }
}
