import { expect } from 'chai'
import { rmSync } from 'node:fs'
import { type Json, type TestServer } from '../../support/server.ts'
import { serveSample } from '../../support/sample-server.ts'
import { JUDGED_SEARCHES, type JudgedSearch } from './judged-searches.ts'

const SHOWN = 10

/** https://en.wikipedia.org/wiki/Discounted_cumulative_gain of the first results, in relation to the best order. */
function ndcgOf(found: readonly string[], grades: ReadonlyMap<string, number>): number {
  const gainOf = (values: readonly number[]): number =>
    values
      .slice(0, SHOWN)
      .reduce((sum, value, place) => sum + (2 ** value - 1) / Math.log2(place + 2), 0)
  const best = [...grades.values()].toSorted((one, other) => other - one)
  return gainOf(found.map((name) => grades.get(name) ?? 0)) / gainOf(best)
}

describe('the relevance of searches', () => {
  let server: TestServer
  let folder: string
  before(async () => {
    ;({ server, folder } = await serveSample('relevance'))
    await server.indexed()
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const find = async ({ type, locale, text }: JudgedSearch): Promise<readonly string[]> => {
    const name = type === 'countries' ? 'cca3' : 'slug'
    const query = `search=${encodeURIComponent(text)}&locale=${locale}&fields=${name}`
    const page = `pagination[pageSize]=${SHOWN}&pagination[withCount]=false`
    const { status, text: answer, body } = await server.get(`/api/${type}?${query}&${page}`)
    expect(status, answer).to.equal(200)
    return body.data.map((entry: Json) => entry[name])
  }

  it('has a mean nDCG@10 of at least 0.95 over the judged searches', async () => {
    const scores: { readonly text: string; readonly score: number; readonly found: unknown }[] = []
    for (const search of JUDGED_SEARCHES) {
      const found = await find(search)
      scores.push({ text: search.text, score: ndcgOf(found, search.grades), found })
    }
    const mean = scores.reduce((sum, { score }) => sum + score, 0) / scores.length
    const worst = scores.toSorted((one, other) => one.score - other.score).slice(0, 8)
    expect(mean, JSON.stringify(worst)).to.be.at.least(0.95)
    expect(worst[0]?.score, JSON.stringify(worst)).to.be.above(0)
  })
})
