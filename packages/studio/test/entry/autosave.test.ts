import type { Data } from '../../src/entry/data.ts'
import { expect } from 'chai'
import { Autosave } from '../../src/entry/autosave.ts'
import type { EntryDoor, SaveAnswer } from '../../src/entry/door.ts'
import { FormStore } from '../../src/entry/form-store.ts'
import type { KeptWork } from '../../src/entry/kept-work.ts'
import type { ConflictAuthor } from '../../src/entry/merge.ts'
import {
  type ComponentValue,
  newComponentValue,
  newValues,
  toFormValues,
} from '../../src/entry/values.ts'
import { applied, ARTICLE, COMPONENTS, reading } from './samples.ts'

const START: Data = {
  title: 'Atlas',
  views: 1,
  quotes: [{ id: 1, text: 'a', source: 's', countries: [] }],
}

describe('the autosave', () => {
  it('writes once after a pause, with the changes only', async () => {
    const { form, server, clock } = open()
    form.set(['title'], 'Atlas of')
    form.set(['title'], 'Atlas of maps')
    expect(server.writes).to.deep.equal([])
    await clock.pass(800)
    expect(server.writes).to.deep.equal([{ title: 'Atlas of maps' }])
  })

  it('reports unsaved until the server has the changes, then saved', async () => {
    const { form, server, saver, clock } = open()
    expect(saver.state()).to.deep.equal({ kind: 'saved', at: null })
    form.set(['title'], 'x')
    expect(saver.state().kind).to.equal('unsaved')
    const answer = server.hold()
    await clock.pass(800)
    expect(saver.state().kind).to.equal('saving')
    answer()
    await clock.settle()
    expect(saver.state()).to.deep.equal({ kind: 'saved', at: 800 })
  })

  it('writes again after input during a request', async () => {
    const { form, server, saver, clock } = open()
    form.set(['title'], 'one')
    const answer = server.hold()
    await clock.pass(800)
    form.set(['title'], 'two')
    form.set(['views'], 2)
    answer()
    await clock.settle()
    expect(form.get(['title'])).to.equal('two')
    expect(saver.state().kind).to.equal('unsaved')
    await clock.pass(800)
    expect(server.writes).to.deep.equal([{ title: 'one' }, { title: 'two', views: 2 }])
    expect(saver.state().kind).to.equal('saved')
  })

  it('adopts the id of a new component, and updates it from then on', async () => {
    const { form, server, clock, read } = open()
    const made = newComponentValue({ type: 'dynamiczone', components: [] }, 'shared.quote', read)
    form.set(['sections'], [made])
    await clock.pass(800)
    form.set(['sections', made.$key, 'text'], 'written')
    await clock.pass(800)
    expect(server.writes).to.deep.equal([
      { sections: [{ __component: 'shared.quote', source: 'unknown' }] },
      { sections: [{ __component: 'shared.quote', id: 1001, text: 'written' }] },
    ])
    const sections = form.get(['sections']) as readonly ComponentValue[]
    expect(sections.map(({ $key, text }) => [$key, text])).to.deep.equal([[made.$key, 'written']])
  })

  it('merges the changes of others, and writes on top of them', async () => {
    const { form, server, saver, clock } = open()
    form.set(['title'], 'mine')
    server.elsewhere({ views: 7 })
    await clock.pass(800)
    expect(form.get(['views'])).to.equal(7)
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'mine', views: 7 })
    expect(saver.state().kind).to.equal('saved')
    expect(form.conflicts()).to.deep.equal([])
  })

  it('keeps input after the entry was deleted elsewhere', async () => {
    const { form, server, saver, kept } = open()
    form.set(['title'], 'mine')
    server.isGone = true
    await saver.refresh()
    expect(saver.state()).to.deep.equal({ kind: 'gone' })
    expect(kept.work?.mine).to.deep.equal({ title: 'mine' })
    server.isGone = false
    await saver.refresh()
    expect(saver.state()).to.deep.equal({ kind: 'unsaved' })
  })

  it('holds back a conflict until it is resolved, and writes the rest', async () => {
    const { form, server, saver, clock, kept } = open()
    form.set(['title'], 'mine')
    form.set(['views'], 2)
    server.elsewhere({ title: 'theirs' })
    await clock.pass(800)
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'theirs', views: 2 })
    expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['title'] })
    expect(kept.work?.mine).to.deep.equal({ title: 'mine' })
    const [conflict] = form.conflicts()
    expect(conflict).to.deep.equal({ address: ['title'], mine: 'mine', theirs: 'theirs' })
    form.settle(['title'], 'ours')
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'ours', views: 2 })
    expect(saver.state().kind).to.equal('saved')
  })

  it('keeps a conflict and its author when others write again', async () => {
    const { form, server, saver, clock } = open()
    const [ada, grace] = ['Ada', 'Grace'].map(authorNamed)
    server.author = ada ?? null
    form.set(['title'], 'mine')
    server.elsewhere({ title: 'theirs' })
    await clock.pass(800)
    server.author = grace ?? null
    server.elsewhere({ views: 9 })
    await saver.refresh()
    await clock.pass(800)
    expect(form.get(['views'])).to.equal(9)
    expect(server.entry).to.include({ title: 'theirs' })
    const conflict = { address: ['title'], mine: 'mine', theirs: 'theirs' }
    expect(form.conflicts()).to.deep.equal([{ ...conflict, by: ada }])
    server.elsewhere({ title: 'again' })
    await saver.refresh()
    await clock.settle()
    expect(form.conflicts()).to.deep.equal([{ ...conflict, theirs: 'again', by: grace }])
    server.elsewhere({ title: 'mine' })
    await saver.refresh()
    expect(form.conflicts()).to.deep.equal([])
    expect(saver.state().kind).to.equal('saved')
  })

  it('keeps a refused value with its fault, and writes the rest', async () => {
    const { form, server, saver, clock, kept } = open()
    server.refuse = { title: 'title must be at most 5 characters' }
    form.set(['title'], 'too long')
    form.set(['views'], 3)
    await clock.pass(800)
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'Atlas', views: 3 })
    expect(form.problemsAt(['title'])).to.deep.equal(['title must be at most 5 characters'])
    expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['title'] })
    expect(kept.work?.mine).to.deep.equal({ title: 'too long' })
    server.refuse = {}
    form.set(['title'], 'short')
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'short' })
    expect(form.problemsAt(['title'])).to.equal(undefined)
    expect(saver.state().kind).to.equal('saved')
  })

  it('shows a fault within a component at its field', async () => {
    const { form, server, clock } = open()
    server.refuse = { 'quotes.0.text': 'text is too long' }
    form.set(['quotes', 'shared.quote:1', 'text'], 'long')
    await clock.pass(800)
    expect(form.problemsAt(['quotes', 'shared.quote:1', 'text'])).to.deep.equal([
      'text is too long',
    ])
  })

  it('skips input that cannot be parsed, and reports it as unsaved', async () => {
    const { form, server, saver, clock } = open()
    form.setUnreadable(['views'], 'not a number')
    form.set(['title'], 'other')
    await clock.pass(800)
    expect(server.writes).to.deep.equal([{ title: 'other' }])
    expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['views'] })
    expect(await saver.saveNow()).to.equal(false)
    form.setUnreadable(['views'], null)
    expect(await saver.saveNow()).to.equal(true)
  })

  it('retries with growing delays while the server is unreachable', async () => {
    const { form, server, saver, clock, kept } = open()
    server.isDown = true
    form.set(['title'], 'kept')
    await clock.pass(800)
    expect(saver.state().kind).to.equal('unreachable')
    expect(kept.work).to.deep.equal({ base: { title: 'Atlas' }, mine: { title: 'kept' } })
    await clock.pass(2_000)
    expect(server.attempts).to.equal(2)
    await clock.pass(2_000)
    expect(server.attempts).to.equal(2)
    server.isDown = false
    await clock.pass(2_000)
    expect(server.entry).to.include({ title: 'kept' })
    expect(saver.state().kind).to.equal('saved')
    expect(kept.work).to.equal(null)
  })

  it('creates an entry once, even if the first response is lost', async () => {
    const { form, server, saver, clock } = open({ isNew: true })
    server.losesAnswers = true
    form.set(['title'], 'new')
    await clock.pass(800)
    form.set(['title'], 'newer')
    server.losesAnswers = false
    await clock.pass(2_000)
    await clock.pass(800)
    expect(server.names[0]).to.equal(server.names[1])
    expect(server.writes[1]).to.deep.equal({ title: 'new' })
    expect(server.entry).to.include({ title: 'newer' })
    expect(saver.state().kind).to.equal('saved')
  })

  it('never stores a password in the browser', async () => {
    const { form, kept, clock } = open()
    form.set(['secret'], 'hush')
    await clock.pass(200)
    expect(kept.work).to.equal(null)
    form.set(['title'], 'other')
    await clock.pass(200)
    expect(kept.work?.mine).to.deep.equal({ title: 'other' })
  })

  it('waits for an explicit save if a write publishes', async () => {
    const { form, server, saver, clock, kept } = open({ isAutomatic: false })
    form.set(['title'], 'mine')
    await clock.pass(60_000)
    expect(server.writes).to.deep.equal([])
    expect(saver.state().kind).to.equal('unsaved')
    expect(kept.work?.mine).to.deep.equal({ title: 'mine' })
    expect(await saver.saveNow()).to.equal(true)
    expect(server.entry).to.include({ title: 'mine' })
  })

  it('skips a write if the changes were undone', async () => {
    const { form, server, saver, clock } = open()
    form.set(['title'], 'x')
    form.set(['title'], 'Atlas')
    await clock.pass(800)
    expect(server.writes).to.deep.equal([])
    expect(saver.state()).to.deep.equal({ kind: 'saved', at: null })
  })
})

interface Opening {
  readonly isAutomatic?: boolean
  readonly isNew?: boolean
}

function open({ isAutomatic = true, isNew = false }: Opening = {}) {
  const read = reading()
  const base = isNew ? newValues(ARTICLE, read) : toFormValues(ARTICLE, START, read)
  const form = new FormStore(base)
  const server = new Server(isNew)
  const clock = new Clock()
  const kept: { work: KeptWork | null } = { work: null }
  const saver = new Autosave({
    attributes: ARTICLE,
    components: COMPONENTS,
    reading: read,
    door: server,
    form,
    base,
    etag: isNew ? null : '1',
    isNew,
    isAutomatic,
    keep: (work) => (kept.work = work),
    now: () => clock.now,
    after: (wait, act) => clock.after(wait, act),
    newAttempt: () => `attempt ${(server.made += 1)}`,
  })
  saver.start()
  return { form, server, saver, clock, kept, read }
}

function authorNamed(name: string): ConflictAuthor {
  return { kind: 'administrator', id: name, name, at: '2026-01-02T03:04:05.000Z' }
}

/** A server with one entry, that obeys `If-Match` and names of attempts. */
class Server implements EntryDoor {
  entry: Data = START
  author: ConflictAuthor | null = null
  made = 0
  attempts = 0
  isDown = false
  isGone = false
  losesAnswers = false
  refuse: Readonly<Record<string, string>> = {}
  readonly writes: Data[] = []
  readonly names: string[] = []
  readonly #isNew: boolean
  #revision = 1
  #held: Promise<void> | null = null
  readonly #done = new Map<string, SaveAnswer>()

  constructor(isNew: boolean) {
    this.#isNew = isNew
    if (isNew) this.entry = {}
  }

  hold(): () => void {
    let answer = (): void => undefined
    this.#held = new Promise((resolve) => (answer = resolve))
    return () => answer()
  }

  elsewhere(data: Data): void {
    this.entry = applied(this.entry, data)
    this.#revision += 1
  }

  async save(data: Data, etag: string | null, name: string): Promise<SaveAnswer> {
    this.attempts += 1
    if (this.isDown) return { kind: 'unreachable' }
    this.writes.push(data)
    this.names.push(name)
    await this.#held
    const answer = this.#done.get(name) ?? this.#write(data, etag)
    if (this.#isNew) this.#done.set(name, answer)
    return this.losesAnswers ? { kind: 'unreachable' } : answer
  }

  #write(data: Data, etag: string | null): SaveAnswer {
    if (etag !== null && etag !== String(this.#revision)) return { kind: 'stale' }
    const faults = Object.entries(this.refuse).flatMap(([path, message]) =>
      path.split('.')[0] !== undefined && (path.split('.')[0] ?? '') in data
        ? [{ path: path.split('.'), message }]
        : [],
    )
    if (faults.length > 0) return { kind: 'refused', faults, message: 'refused' }
    this.elsewhere(data)
    return { kind: 'saved', entry: this.entry, etag: String(this.#revision) }
  }

  read() {
    if (this.isGone) return Promise.resolve('gone' as const)
    return Promise.resolve({ entry: this.entry, etag: String(this.#revision) })
  }

  readAuthor() {
    return Promise.resolve(this.author)
  }
}

class Clock {
  now = 0
  #waiting: { at: number; act: () => void }[] = []

  after(wait: number, act: () => void): () => void {
    const one = { at: this.now + wait, act }
    this.#waiting.push(one)
    return () => void (this.#waiting = this.#waiting.filter((other) => other !== one))
  }

  async pass(milliseconds: number): Promise<void> {
    this.now += milliseconds
    const due = this.#waiting.filter(({ at }) => at <= this.now)
    this.#waiting = this.#waiting.filter(({ at }) => at > this.now)
    for (const { act } of due) act()
    await this.settle()
  }

  /** Until nothing is under way any more: writes here are promises alone. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  }
}
