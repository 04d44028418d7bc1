import { expect } from 'chai'
import { type Locales, openLocales } from '../../../src/content/locales/locales.ts'
import {
  ApplicationError,
  type CmsError,
  NotFoundError,
  ValidationError,
} from '../../../src/base/errors.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

const noFence = (): Promise<void> => Promise.resolve()

describe('openLocales', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let ms = Date.UTC(2026, 0, 1)
  const open = (): Promise<Locales> => openLocales(test.database, { now: () => new Date(ms) })
  let here: Locales
  let there: Locales
  const codes = async (locales: Locales): Promise<readonly string[]> =>
    (await locales.current()).all.map(({ code }) => code)

  beforeEach(async () => {
    test = await openTestDatabase('locales')
    const opened = await Promise.all(Array.from({ length: 10 }, open))
    const [first, second] = opened
    if (first === undefined || second === undefined) throw new Error('not opened')
    here = first
    there = second
  })
  afterEach(() => test.drop())

  it('renames a code with its usual name and the default', async () => {
    await here.add({ code: 'fr', name: 'Français' })
    ms += 1_000
    const english = await here.rename('en', { code: 'en-GB' }, noFence)
    expect(english).to.include({ id: 1, code: 'en-GB', isDefault: true })
    expect(english.name).to.match(/\(en-GB\)$/)
    expect(english.updatedAt.getTime()).to.equal(ms)
    expect((await here.current()).defaultCode).to.equal('en-GB')
    expect((await here.rename('fr', { code: 'fr-CA' }, noFence)).name).to.equal('Français')
    expect((await here.rename('fr-CA', { code: 'fr', name: 'F' }, noFence)).name).to.equal('F')
    expect(await failure(here.rename('fr', { code: 'en-GB' }, noFence))).to.be.instanceOf(
      ValidationError,
    )
    expect(await failure(here.rename('en', { code: 'de' }, noFence))).to.be.instanceOf(
      NotFoundError,
    )
    expect(await failure(here.rename('fr', { code: 'xx' }, noFence))).to.be.instanceOf(
      ValidationError,
    )
    expect(await codes(here)).to.deep.equal(['en-GB', 'fr'])
  })

  it('creates English once when ten processes start together', async () => {
    const { all, defaultCode } = await here.current()
    expect(defaultCode).to.equal('en')
    expect(all).to.have.length(1)
    expect(all[0]).to.deep.include({ id: 1, code: 'en', name: 'English (en)', isDefault: true })
    expect(Object.keys(all[0] ?? {})).to.deep.equal([
      'id',
      'documentId',
      'name',
      'code',
      'createdAt',
      'updatedAt',
      'publishedAt',
      'isDefault',
    ])
  })

  it('adds, changes and removes locales', async () => {
    const french = await here.add({ code: 'fr' })
    expect(french).to.include({ name: 'French (fr)', isDefault: false })
    expect(french.id).to.be.greaterThan(1)
    ms += 5
    const changed = await here.update('fr', { code: 'fr', name: 'Français' })
    expect(changed).to.include({ id: french.id, name: 'Français' })
    expect(changed.updatedAt.getTime() - changed.createdAt.getTime()).to.equal(5)
    expect((await here.current()).has('fr')).to.equal(true)
    expect(await here.remove('fr')).to.include({ code: 'fr' })
    expect((await here.current()).has('fr')).to.equal(false)
    expect((await here.add({ code: 'fr' })).id).to.be.greaterThan(french.id)
  })

  it('refuses invalid changes', async () => {
    await here.add({ code: 'fr' })
    const rows: readonly [string, () => Promise<unknown>, new (...all: never[]) => CmsError][] = [
      ['a duplicate', () => here.add({ code: 'fr' }), ValidationError],
      ['another spelling', () => here.add({ code: 'FR' }), ValidationError],
      ['a name of two lines', () => here.update('fr', { name: 'a\nb' }), ValidationError],
      ['an unknown locale', () => here.update('de', { name: 'x' }), NotFoundError],
      ['a changed code', () => here.update('fr', { code: 'de' }), ValidationError],
      ['clearing the default', () => here.update('en', { isDefault: false }), ValidationError],
      ['removing the default', () => here.remove('en'), ApplicationError],
      ['removing an unknown locale', () => here.remove('de'), NotFoundError],
    ]
    for (const [what, work, kind] of rows) {
      expect(await failure(work()), what).to.be.instanceOf(kind)
    }
    expect(await codes(here)).to.deep.equal(['en', 'fr'])
  })

  it('moves the default and does not create English again on restart', async () => {
    await here.add({ code: 'fr', isDefault: true })
    expect((await here.current()).defaultCode).to.equal('fr')
    await here.remove('en')
    expect(await codes(await open())).to.deep.equal(['fr'])
  })

  it('has exactly one default after concurrent changes', async () => {
    const added = ['fr', 'de', 'it', 'es', 'pt', 'nl']
    await Promise.all(
      added.map((code, index) => (index % 2 === 0 ? here : there).add({ code, isDefault: true })),
    )
    const { all, defaultCode } = await here.current()
    expect(all.map(({ code }) => code)).to.have.members(['en', ...added])
    expect(new Set(all.map(({ id }) => id)).size).to.equal(7)
    expect(all.filter(({ isDefault }) => isDefault).map(({ code }) => code)).to.deep.equal([
      defaultCode,
    ])
  })

  it('never removes a locale that concurrently becomes the default', async () => {
    await here.add({ code: 'fr' })
    const errors = await Promise.all([
      failure(here.update('fr', { isDefault: true })),
      failure(there.remove('fr')),
    ])
    expect(errors.filter((error) => error !== undefined)).to.have.length(1)
    const list = await here.current()
    expect(list.has(list.defaultCode)).to.equal(true)
    expect(list.all.filter(({ isDefault }) => isDefault)).to.have.length(1)
  })

  it('adds a locale once when requests race', async () => {
    const errors = await Promise.all(
      [here, there, here, there].map((locales) => failure(locales.add({ code: 'fr' }))),
    )
    expect(errors.filter((error) => error === undefined)).to.have.length(1)
    expect(await codes(here)).to.deep.equal(['en', 'fr'])
  })

  it('is up to date elsewhere within a second and queries at most once a second', async () => {
    expect(await codes(there)).to.deep.equal(['en'])
    await here.add({ code: 'fr' })
    ms += 999
    expect(await codes(there)).to.deep.equal(['en'])
    ms += 1
    expect(await codes(there)).to.deep.equal(['en', 'fr'])
    expect(await there.current()).to.equal(await there.current())
  })
})
