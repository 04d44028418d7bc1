import { expect } from 'chai'
import { countErrors, isSteady, type SoakReport, toSoakText } from '../../src/soak/report.ts'
import { computeResidentGrowth, type SoakSample } from '../../src/soak/sample.ts'

const MB = 2 ** 20

const sampleOf = (seconds: number, megabytes: number): SoakSample => ({
  seconds,
  requests: seconds * 100,
  residentBytes: megabytes * MB,
  heapUsedBytes: 40 * MB,
  lagMs: 3,
  keptAnswers: seconds * 10,
})

const WELL: SoakReport = {
  machine: 'a machine',
  database: 'a database',
  samples: [sampleOf(0, 90), sampleOf(600, 130), sampleOf(1200, 131), sampleOf(1800, 132)],
  requests: 180_000,
  acknowledged: 40_000,
  statuses: new Map([
    ['GET 200', 150_000],
    ['PUT 200', 20_000],
    ['PUT 412', 10_000],
  ]),
  wrong: [],
  losses: [],
}

describe('residentBytesPerHour', () => {
  it('uses only the second half of the samples', () => {
    expect(computeResidentGrowth(WELL.samples)).to.be.closeTo(6 * MB, 1)
  })

  it('returns 0 for a short run', () => {
    expect(computeResidentGrowth([])).to.equal(0)
    expect(computeResidentGrowth([sampleOf(0, 90)])).to.equal(0)
    expect(computeResidentGrowth([sampleOf(0, 90), sampleOf(10, 120)])).to.equal(0)
  })
})

describe('the report of a soak', () => {
  it('shows memory at the start, after ten minutes and at the end', () => {
    const text = toSoakText(WELL)
    expect(text).to.match(/RSS at the start \| 90\.0 MB/)
    expect(text).to.match(/RSS after 10 min \| 130\.0 MB/)
    expect(text).to.match(/RSS at the end \| 132\.0 MB/)
    expect(text).to.match(/\+6\.0 MB\/h/)
    expect(text).to.include('200: 170000, 412: 10000')
    expect(isSteady(WELL)).to.equal(true)
  })

  for (const answer of ['GET 500', 'PUT 503', 'POST 504', 'DELETE broken']) {
    it(`counts ${answer} as an error`, () => {
      const report = { ...WELL, statuses: new Map([...WELL.statuses, [answer, 2]]) }
      expect(countErrors(report)).to.equal(2)
      expect(isSteady(report)).to.equal(false)
    })
  }

  it('counts and shows faults and losses', () => {
    const wrong = { ...WELL, wrong: ['GET /api/notes: 403'] }
    expect(isSteady(wrong)).to.equal(false)
    expect(toSoakText(wrong)).to.include('GET /api/notes: 403')
    const losing = { ...WELL, losses: ['member a is gone'] }
    expect(isSteady(losing)).to.equal(false)
    expect(toSoakText(losing)).to.include('member a is gone')
  })

  it('mentions a missing check for losses', () => {
    expect(toSoakText({ ...WELL, losses: null })).to.match(/losses +\| not looked for/)
  })
})
