import { expect } from 'chai'
import { type Plot, toSvg } from '../../src/bench/svg.ts'

const plot: Plot = {
  title: 'Lists & <pages>',
  x: 'documents',
  y: 'requests/s',
  scale: 'linear',
  series: [
    {
      name: 'one',
      points: [
        [1_000, 800],
        [10_000, 400],
        [100_000, 0],
      ],
    },
    { name: 'other', points: [[1_000, 200]] },
  ],
}

const placesOf = (svg: string): readonly (readonly number[])[] =>
  [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ])

describe('toSvg', () => {
  it('places points on a logarithmic x axis and a linear y axis', () => {
    const [first, middle, last, other] = placesOf(toSvg(plot))
    expect([first, last]).to.deep.equal([
      [70, 50],
      [620, 340],
    ])
    expect(middle).to.deep.equal([345, 195])
    expect(other).to.deep.equal([70, 267.5])
  })

  it('places points on a logarithmic y axis between powers of ten', () => {
    const points = [
      [1, 2],
      [10, 10],
      [100, 500],
    ] as const
    const svg = toSvg({ ...plot, scale: 'logarithmic', series: [{ name: 'one', points }] })
    const [low, middle, high] = placesOf(svg).map(([, y]) => y)
    expect(middle).to.be.closeTo(340 - 290 / 3, 0.01)
    expect(low)
      .to.be.below(340)
      .and.above(middle ?? 0)
    expect(high)
      .to.be.above(50)
      .and.below(middle ?? 0)
    for (const level of ['>1<', '>10<', '>100<', '>1000<']) expect(svg).to.include(level)
  })

  it('names its lines and escapes XML', () => {
    const svg = toSvg(plot)
    expect(svg).to.include('Lists &amp; &lt;pages>').and.include('>one<').and.include('>other<')
    expect(svg.match(/<polyline/g)).to.have.length(2)
    expect(svg).to.match(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  })

  it('refuses points that an axis cannot show', () => {
    expect(() => toSvg({ ...plot, series: [] })).to.throw(RangeError)
    expect(() => toSvg({ ...plot, series: [{ name: 'a', points: [[0, 1]] }] })).to.throw(RangeError)
    const nought = {
      ...plot,
      scale: 'logarithmic',
      series: [{ name: 'a', points: [[1, 0]] }],
    } as const
    expect(() => toSvg(nought)).to.throw(RangeError)
  })
})
