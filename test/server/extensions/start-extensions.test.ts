import { expect } from 'chai'
import { ExtensionError } from '../../../src/base/errors.ts'
import type { Extension } from '../../../src/extensions/extension.ts'
import { openHost } from '../../../src/extensions/extension-host.ts'
import { extensionDatabase } from '../../../src/server/extensions/extension-database.ts'
import { startExtensions } from '../../../src/server/extensions/start-extensions.ts'
import { pino } from 'pino'
import { sampleSchema } from '../../people/access/sample-schema.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const content = Object.freeze({})

function optionsWith(extensions: readonly Extension[]) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const host = { ...openHost(), content: () => content }
  const database = { collection: () => expect.fail('unused') }
  const timeouts = { startMs: 50, stopMs: 50 }
  return { lines, options: { extensions: { extensions, host }, database, log, timeouts } }
}

describe('startExtensions', () => {
  it('starts in the order of the configuration and stops in reverse order', async () => {
    const calls: string[] = []
    const named = (name: string): Extension => ({
      name,
      start: ({ log }) => {
        calls.push(`start ${name}`)
        log.info({ port: 1 }, 'ready')
        log.info('really')
      },
      stop: () => {
        calls.push(`stop ${name}`)
      },
    })
    const { options, lines } = optionsWith([named('one'), { name: 'none' }, named('two')])
    const started = await startExtensions(options)
    await started.close()
    await started.close()
    expect(calls).to.deep.equal(['start one', 'start two', 'stop two', 'stop one'])
    expect(lines.map(({ extension, msg }) => [extension, msg])).to.deep.equal([
      ['one', 'ready'],
      ['one', 'really'],
      ['two', 'ready'],
      ['two', 'really'],
    ])
  })

  const failures: readonly [string, NonNullable<Extension['start']>, string][] = [
    ['throws', () => Promise.reject(new Error('no key')), 'no key'],
    ['hangs', () => new Promise(() => undefined), 'start did not finish within 0.05 s'],
  ]
  for (const [label, start, problem] of failures) {
    it(`names an extension that ${label}, and stops the others`, async () => {
      const stopped: string[] = []
      const first = { name: 'first', stop: () => void stopped.push('first') }
      const broken = { name: 'broken', start, stop: () => void stopped.push('broken') }
      const { options, lines } = optionsWith([first, broken])
      const error = await startExtensions(options).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(error).to.be.instanceOf(ExtensionError)
      expect((error as ExtensionError).faults).to.deep.equal([
        `extension "broken": start: ${problem}`,
      ])
      expect(stopped).to.deep.equal(['first'])
      expect(lines.map(({ extension }) => extension)).to.deep.equal(['broken'])
    })
  }

  it('logs failures of a stop and stops the others', async () => {
    const stopped: string[] = []
    const { options, lines } = optionsWith([
      { name: 'first', stop: () => void stopped.push('first') },
      { name: 'hanging', stop: () => new Promise(() => undefined) },
      { name: 'throwing', stop: () => Promise.reject(new Error('no')) },
    ])
    await (await startExtensions(options)).close()
    expect(stopped).to.deep.equal(['first'])
    expect(lines.map(({ extension }) => extension)).to.deep.equal(['throwing', 'hanging'])
  })
})

describe('extensionDatabase', () => {
  it('opens collections of the project, and refuses all others', async () => {
    const opened = await openTestDatabase('extension_database')
    try {
      const schema = sampleSchema()
      const own = extensionDatabase(opened.database, schema)
      await own.collection('visits').insertOne({ page: '/' })
      expect(await own.collection('visits').countDocuments({})).to.equal(1)
      const types = [...schema.contentTypes.values()].map(({ collectionName }) => collectionName)
      expect(types.length).to.be.above(1)
      const refused = [
        ...types,
        'quire_commits',
        'Quire_x',
        'system.profile',
        types[0]?.toUpperCase(),
      ]
      for (const name of refused)
        expect(() => own.collection(String(name)), name).to.throw(TypeError)
    } finally {
      await opened.drop()
    }
  })
})
