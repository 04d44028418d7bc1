import { expect } from 'chai'
import * as fc from 'fast-check'
import { circleRing } from '../../../src/mongo/read/circle-polygon.ts'

/** Latitudes of all places, and of places close to a pole. */
const latitudes = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc
    .tuple(fc.constantFrom(-1, 1), fc.double({ min: -12, max: 1, noNaN: true }))
    .map(([side, power]) => side * (90 - 10 ** power)),
)

const radii = fc.oneof(
  fc.double({ min: 0, max: 2e7, noNaN: true }),
  fc.double({ min: -12, max: 7, noNaN: true }).map((power) => 10 ** power),
)

describe('circleRing', () => {
  it('has few corners for any center and radius, because each row is compared with them', () => {
    fc.assert(
      fc.property(
        latitudes,
        fc.double({ min: -180, max: 180, noNaN: true }),
        radii,
        (latitude, longitude, radius) => {
          const ring = circleRing({ latitude, longitude }, radius)?.ring ?? []
          expect(ring.length).to.be.below(400)
          expect(ring.flat().every(Number.isFinite)).to.equal(true)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('has few corners for the smallest radius that a query can name', () => {
    for (const latitude of [0, 1, 47.3, 89.9999, -89.9999]) {
      const round = circleRing({ latitude, longitude: 8.5 }, 1e-9)
      expect(round?.ring.length, String(latitude)).to.be.within(200, 400)
    }
  })
})
