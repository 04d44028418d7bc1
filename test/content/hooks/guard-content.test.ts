import { expect } from 'chai'
import { guardContent } from '../../../src/content/hooks/run-hooks.ts'
import type { ContentService, DocumentService } from '../../../src/extensions/content-service.ts'

describe('guardContent', () => {
  const calls: string[] = []
  const called =
    (name: string, result: unknown) =>
    (..._given: readonly unknown[]): Promise<never> => {
      calls.push(name)
      return Promise.resolve(result as never)
    }
  const notes: DocumentService = {
    find: called('find', { data: [] }),
    count: called('count', 0),
    findOne: called('findOne', null),
    create: called('create', {}),
    update: called('update', {}),
    publish: called('publish', {}),
    unpublish: called('unpublish', undefined),
    delete: called('delete', undefined),
  }
  const content: ContentService = { notes }
  const as = { as: 'system' } as const

  beforeEach(() => (calls.length = 0))

  const refusal = async (call: Promise<unknown> | undefined): Promise<string> => {
    try {
      await call
      return ''
    } catch (error) {
      return String(error)
    }
  }

  it('passes calls through', async () => {
    const signal = new AbortController().signal
    const guarded = guardContent(content, { signal, dryRun: false })
    await guarded['notes']?.create({}, as)
    await guarded['notes']?.find({}, as)
    expect(calls).to.deep.equal(['create', 'find'])
    expect(guarded['others']).to.equal(undefined)
  })

  it('refuses every call after the deadline', async () => {
    const aborter = new AbortController()
    const guarded = guardContent(content, { signal: aborter.signal, dryRun: false })
    const service = guarded['notes']
    aborter.abort()
    expect(await refusal(service?.find({}, as))).to.include('The deadline of the extension is over')
    expect(await refusal(guarded['notes']?.create({}, as))).to.include('deadline')
    expect(calls).to.deep.equal([])
  })

  it('refuses writes in a dry run and permits reads', async () => {
    const guarded = guardContent(content, { signal: new AbortController().signal, dryRun: true })
    const service = guarded['notes']
    await service?.find({}, as)
    await service?.count({}, as)
    await service?.findOne('a', {}, as)
    expect(await refusal(service?.create({}, as))).to.include('A dry run writes nothing')
    expect(await refusal(service?.update('a', {}, as))).to.include('A dry run')
    expect(await refusal(service?.publish('a', as))).to.include('A dry run')
    expect(await refusal(service?.unpublish('a', as))).to.include('A dry run')
    expect(await refusal(service?.delete('a', as))).to.include('A dry run')
    expect(calls).to.deep.equal(['find', 'count', 'findOne'])
  })
})
