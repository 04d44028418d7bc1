import { expect } from 'chai'
import { readLocalTime } from '../src/screens/planning/local-time.ts'

describe('readLocalTime', () => {
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  for (const [name, text, kind, at] of [
    ['Europe/Berlin', '2026-03-29T01:59', 'usual', '2026-03-29T00:59:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', 'skipped', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29T03:00', 'usual', '2026-03-29T01:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:30', 'twice', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T03:00', 'usual', '2026-10-25T02:00:00.000Z'],
    ['America/New_York', '2026-03-08T02:00', 'skipped', '2026-03-08T07:00:00.000Z'],
    ['America/New_York', '2026-11-01T01:59', 'twice', '2026-11-01T05:59:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', 'twice', '2026-04-04T14:45:00.000Z'],
    ['Asia/Kolkata', '2026-10-25T02:30:30', 'usual', '2026-10-24T21:00:30.000Z'],
  ] as const) {
    it(`reads ${text} in ${name} as ${kind}`, () => {
      process.env['TZ'] = name
      const read = readLocalTime(text)
      expect(read?.kind).to.equal(kind)
      expect(read?.at.toISOString()).to.equal(at)
    })
  }

  it('returns null for invalid text', () => {
    for (const text of ['', 'tomorrow', '2026-02-32']) {
      expect(readLocalTime(`${text}T12:00`), text).to.equal(null)
    }
  })
})
