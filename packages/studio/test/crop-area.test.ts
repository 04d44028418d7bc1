import { expect } from 'chai'
import {
  type Arbitrary,
  array,
  assert,
  constant,
  constantFrom,
  integer,
  oneof,
  property,
  record,
} from 'fast-check'
import {
  dragCorner,
  MIN_CROP,
  moveArea,
  type PictureSize,
  type Ratio,
  resizeArea,
  wholeArea,
  withRatio,
} from '../src/screens/media/crop/crop-area.ts'

interface Area extends PictureSize {
  readonly x: number
  readonly y: number
}

const SIZE = { width: 800, height: 600 }

type Action =
  | { readonly kind: 'move'; readonly x: number; readonly y: number }
  | {
      readonly kind: 'drag'
      readonly toX: -1 | 1
      readonly toY: -1 | 1
      readonly x: number
      readonly y: number
    }
  | { readonly kind: 'resize'; readonly side: 'width' | 'height'; readonly pixels: number }
  | { readonly kind: 'ratio' }

describe('the area of a crop', () => {
  it('moves up to the edges', () => {
    const area = { x: 10, y: 10, width: 100, height: 100 }
    expect(moveArea(area, -5, 700, SIZE)).to.deep.equal({ ...area, x: 0, y: 500 })
  })

  it('keeps the opposite corner while one is dragged', () => {
    const area = { x: 100, y: 100, width: 200, height: 100 }
    const upperLeft = { toX: -1, toY: -1 } as const
    expect(dragCorner(area, upperLeft, { x: 50, y: 80 }, SIZE, null)).to.deep.equal({
      x: 50,
      y: 80,
      width: 250,
      height: 120,
    })
    expect(dragCorner(area, upperLeft, { x: 900, y: 900 }, SIZE, null)).to.deep.equal({
      x: 284,
      y: 184,
      width: MIN_CROP,
      height: MIN_CROP,
    })
    const square = dragCorner(area, { toX: 1, toY: 1 }, { x: 900, y: 150 }, SIZE, 1)
    expect(square).to.deep.equal({ x: 100, y: 100, width: 500, height: 500 })
  })

  it('takes the largest part of the proportions', () => {
    expect(withRatio(wholeArea(SIZE), 16 / 9, SIZE)).to.deep.equal({
      x: 0,
      y: 75,
      width: 800,
      height: 450,
    })
    expect(withRatio(wholeArea(SIZE), 1, SIZE)).to.deep.equal({
      x: 100,
      y: 0,
      width: 600,
      height: 600,
    })
  })

  const side = integer({ min: MIN_CROP, max: 5_000 })
  const pixels = integer({ min: -6_000, max: 6_000 })
  const ratios = constantFrom<Ratio>(null, 1, 4 / 3, 16 / 9, 3 / 4)
  const actions: Arbitrary<Action[]> = array(
    oneof(
      record({ kind: constant('move' as const), x: pixels, y: pixels }),
      record({
        kind: constant('drag' as const),
        toX: constantFrom(-1 as const, 1 as const),
        toY: constantFrom(-1 as const, 1 as const),
        x: pixels,
        y: pixels,
      }),
      record({
        kind: constant('resize' as const),
        side: constantFrom('width' as const, 'height' as const),
        pixels,
      }),
      record({ kind: constant('ratio' as const) }),
    ),
    { maxLength: 12 },
  )
  const act = (area: Area, action: Action, size: PictureSize, ratio: Ratio): Area => {
    if (action.kind === 'move') return moveArea(area, action.x, action.y, size)
    if (action.kind === 'drag') return dragCorner(area, action, action, size, ratio)
    if (action.kind === 'ratio') return withRatio(area, ratio, size)
    return resizeArea(area, action.side, action.pixels, size, ratio)
  }

  it('consists of whole pixels inside the picture after any actions', () => {
    let shaped = 0
    assert(
      property(side, side, ratios, actions, (width, height, ratio, list) => {
        const size = { width, height }
        let area: Area = wholeArea(size)
        for (const action of list) {
          area = act(area, action, size, ratio)
          const told = JSON.stringify({ action, area })
          for (const value of Object.values(area)) expect(value, told).to.satisfy(Number.isInteger)
          expect(Math.min(area.x, area.y), told).to.be.at.least(0)
          expect(Math.min(area.width, area.height), told).to.be.at.least(MIN_CROP)
          expect(area.x + area.width, told).to.be.at.most(width)
          expect(area.y + area.height, told).to.be.at.most(height)
          const isWide = ratio !== null && Math.min(width, height) > MIN_CROP * 3
          if (!isWide || action.kind === 'move') continue
          shaped += 1
          // Each side is rounded.
          expect(Math.abs(area.width - area.height * ratio), told).to.be.at.most(1 + ratio)
        }
      }),
      { numRuns: 2_000 },
    )
    expect(shaped).to.be.above(1_000)
  })
})
