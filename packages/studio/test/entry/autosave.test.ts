import { expect } from 'chai'
import { type ComponentValue, newComponentValue } from '../../src/entry/values.ts'
import { authorNamed, openForm } from './entry-server.ts'

describe('the autosave', () => {
  it('writes once after a pause, with the changes only', async () => {
    const { form, server, clock } = openForm()
    form.set(['title'], 'Atlas of')
    form.set(['title'], 'Atlas of maps')
    expect(server.writes).to.deep.equal([])
    await clock.pass(800)
    expect(server.writes).to.deep.equal([{ title: 'Atlas of maps' }])
  })

  it('reports unsaved until the server has the changes, then saved', async () => {
    const { form, server, saver, clock } = openForm()
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
    const { form, server, saver, clock } = openForm()
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
    const { form, server, clock, read } = openForm()
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
    const { form, server, saver, clock } = openForm()
    form.set(['title'], 'mine')
    server.elsewhere({ views: 7 })
    await clock.pass(800)
    expect(form.get(['views'])).to.equal(7)
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'mine', views: 7 })
    expect(saver.state().kind).to.equal('saved')
    expect(form.conflicts()).to.deep.equal([])
  })

  it('keeps the reference of each value that others have not changed', async () => {
    const { form, server, saver } = openForm()
    const quotes = form.get(['quotes'])
    server.elsewhere({ views: 7 })
    await saver.refresh()
    expect(form.get(['views'])).to.equal(7)
    expect(form.get(['quotes'])).to.equal(quotes)
    const quote = ['quotes', 'shared.quote:1']
    const countries = form.get([...quote, 'countries'])
    server.elsewhere({ quotes: [{ id: 1, text: 'changed' }] })
    await saver.refresh()
    expect(form.get([...quote, 'text'])).to.equal('changed')
    expect(form.get([...quote, 'countries'])).to.equal(countries)
  })

  it('ignores a read from before its own write', async () => {
    const { form, server, saver, clock } = openForm()
    server.elsewhere({ views: 7 })
    await saver.refresh()
    const answer = server.holdRead()
    const refreshed = saver.refresh()
    form.set(['title'], 'mine')
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'mine' })
    answer()
    await refreshed
    expect(form.get(['title'])).to.equal('mine')
    expect(saver.state().kind).to.equal('saved')
    form.set(['views'], 8)
    await clock.pass(800)
    expect(server.writes.at(-1)).to.deep.equal({ views: 8 })
    expect(server.entry).to.include({ title: 'mine', views: 8 })
  })

  it('keeps input after the entry was deleted elsewhere', async () => {
    const { form, server, saver, kept } = openForm()
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
    const { form, server, saver, clock, kept } = openForm()
    form.set(['title'], 'mine')
    form.set(['views'], 2)
    server.elsewhere({ title: 'theirs' })
    await clock.pass(800)
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'theirs', views: 2 })
    expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['title'] })
    expect(kept.work?.mine).to.deep.equal({ title: 'mine' })
    const [conflict] = form.conflicts()
    expect(conflict).to.deep.include({ address: ['title'], mine: 'mine', theirs: 'theirs' })
    form.settle(['title'], 'ours')
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'ours', views: 2 })
    expect(saver.state().kind).to.equal('saved')
  })

  it('keeps a conflict and its author when others write again', async () => {
    const { form, server, saver, clock } = openForm()
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
    const { form, server, saver, clock, kept } = openForm()
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
    const { form, server, clock } = openForm()
    server.refuse = { 'quotes.0.text': 'text is too long' }
    form.set(['quotes', 'shared.quote:1', 'text'], 'long')
    await clock.pass(800)
    expect(form.problemsAt(['quotes', 'shared.quote:1', 'text'])).to.deep.equal([
      'text is too long',
    ])
  })

  it('keeps the reason of a refusal when others change the entry', async () => {
    const { form, server, saver, clock, kept } = openForm()
    server.isForbidden = true
    form.set(['title'], 'mine')
    await clock.pass(800)
    const refused = { kind: 'refused', message: 'forbidden' }
    expect(saver.state()).to.deep.equal(refused)
    server.elsewhere({ views: 7 })
    expect(await saver.refresh()).to.equal(true)
    expect(form.get(['views'])).to.equal(7)
    expect(saver.state()).to.deep.equal(refused)
    expect(kept.work?.mine).to.deep.equal({ title: 'mine' })
    await clock.pass(60_000)
    expect(server.attempts).to.equal(1)
    server.isForbidden = false
    form.set(['title'], 'mine again')
    await clock.pass(800)
    await clock.pass(800)
    expect(server.entry).to.include({ title: 'mine again' })
  })

  it('saves the changes that others release from a conflict', async () => {
    const { form, server, saver, clock } = openForm()
    const quote = ['quotes', 'shared.quote:1']
    form.set([...quote, 'text'], 'mine')
    form.set([...quote, 'source'], 'source by me')
    server.elsewhere({ quotes: [{ id: 1, text: 'theirs' }] })
    await clock.pass(800)
    expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['quotes'] })
    server.elsewhere({ quotes: [{ id: 1, text: 'mine' }] })
    await saver.refresh()
    expect(saver.state().kind).to.equal('unsaved')
    await clock.pass(800)
    expect(saver.state().kind).to.equal('saved')
    expect(server.writes.at(-1)).to.deep.equal({ quotes: [{ id: 1, source: 'source by me' }] })
  })

  it('skips input that cannot be parsed, and reports it as unsaved', async () => {
    const { form, server, saver, clock } = openForm()
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
    const { form, server, saver, clock, kept } = openForm()
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
    const { form, server, saver, clock } = openForm({ isNew: true })
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
    const { form, kept, clock } = openForm()
    form.set(['secret'], 'hush')
    await clock.pass(200)
    expect(kept.work).to.equal(null)
    form.set(['title'], 'other')
    await clock.pass(200)
    expect(kept.work?.mine).to.deep.equal({ title: 'other' })
  })

  it('waits for an explicit save if a write publishes', async () => {
    const { form, server, saver, clock, kept } = openForm({ isAutomatic: false })
    form.set(['title'], 'mine')
    await clock.pass(60_000)
    expect(server.writes).to.deep.equal([])
    expect(saver.state().kind).to.equal('unsaved')
    expect(kept.work?.mine).to.deep.equal({ title: 'mine' })
    expect(await saver.saveNow()).to.equal(true)
    expect(server.entry).to.include({ title: 'mine' })
  })

  it('skips a write if the changes were undone', async () => {
    const { form, server, saver, clock } = openForm()
    form.set(['title'], 'x')
    form.set(['title'], 'Atlas')
    await clock.pass(800)
    expect(server.writes).to.deep.equal([])
    expect(saver.state()).to.deep.equal({ kind: 'saved', at: null })
  })
})
