import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Answer, Json } from '../support/server.ts'
import { type Library, loadLibrary, openLibrary, type Principal } from './library.ts'
import { outcome } from './outcome.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SUITE = process.env['CONFORMANCE_DIR'] ?? path.join(ROOT, '../shared/conformance')
const page = readFileSync(path.join(ROOT, 'docs/differences.md'), 'utf8')

interface Section {
  readonly number: number
  readonly why: string
  readonly links: readonly string[]
  readonly cases: readonly string[]
}

const sections: readonly Section[] = page
  .split(/^## /m)
  .slice(1)
  .filter((text) => /^\d+\. /.test(text))
  .map((text) => ({
    number: Number.parseInt(text, 10),
    why: /^Why: (.+)$/m.exec(text)?.[1] ?? '',
    links: [...text.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target),
    cases: [...(/^Cases: .+$/m.exec(text)?.[0] ?? '').matchAll(/`([^`]+)`/g)].map(
      ([, id = '']) => id,
    ),
  }))

type Ask = (request: string, data?: object) => Promise<Answer>

/**
 * Requests with a different response in the reference, and our response: one entry per number on
 * the page.
 */
const OURS: Readonly<Record<number, (ask: Ask) => Promise<void>>> = {
  1: async (ask) => {
    await expectRefused(ask, [
      'articles?status=bogus',
      'tags?pagination[pageSize]=-1',
      'tags?pagination[limit]=abc',
    ])
    await expectRefused(ask, [
      'tags?pagination[page]=1.5',
      'articles?filters[featured]=maybe',
      'articles?filters[title][$ne][0][0]=a',
    ])
    await expectRefused(ask, [
      'articles?sort[0][views]=asc&sort[1]=title',
      'articles?populate[0]=tags&populate[author]=true',
    ])
    const blocks = await ask('POST samples', { label: 'x', blocks: 'text' })
    expect(outcome(blocks, '')).to.match(/^400 ValidationError: blocks must be a `array`/)
  },
  2: async (ask) => {
    await expectRefused(ask, [
      'articles?fields=',
      'articles?filters[views]=abc',
      'articles?filters[id]=abc',
      'articles?filters[$or]=x',
    ])
    await expectRefused(ask, [
      'articles?filters[views][$between]=1',
      'articles?filters[extra][$contains]=x',
    ])
    expect(outcome(await ask('GET upload/files/abc'), '')).to.match(/^404 NotFoundError/)
    const found = await ask('GET articles?filters[category]={{arts}}')
    expect(outcome(found, 'views')).to.deep.equal([30])
  },
  3: async (ask) => {
    const found = await ask('GET articles?filters[rating][$ne]=3&sort=views')
    expect(outcome(found, 'views')).to.deep.equal([10, 30, 40, 50, 60, 70])
    const none = await ask('GET articles?filters[$not][tags][name]=red&sort=views')
    expect(outcome(none, 'views')).to.deep.equal([30, 40, 50, 60, 70])
  },
  4: async (ask) => {
    const sorted = await ask('GET articles?sort=rating&fields=title&pagination[limit]=5')
    expect(outcome(sorted, 'title')).to.deep.equal([
      'Élan été',
      '100% pure_gold',
      'O\'Reilly "q" (re.*) [x] \\back $1',
      '日本語 Straße ELAN',
      'Gamma THREE',
    ])
    const asked = await ask('GET articles?sort=views&filters[tags][name]=red&fields=title')
    expect(Object.keys(asked.body.data[0])).to.deep.equal(['id', 'documentId', 'title'])
  },
  5: async (ask) => {
    const created = (
      await ask('POST articles?populate=seo', {
        title: 'xx',
        seo: { metaTitle: 'a', keywords: 'k' },
      })
    ).body.data
    const target = `articles/${created.documentId}`
    const changed = await ask(`PUT ${target}?populate=seo`, {
      seo: { id: created.seo.id, metaTitle: 'b' },
    })
    expect(changed.body.data.id).to.equal(created.id)
    expect(changed.body.data.seo).to.include({ id: created.seo.id, metaTitle: 'b', keywords: 'k' })
    const draft = await ask(`GET ${target}?status=draft&populate=seo`)
    expect(draft.body.data.seo.id).to.equal(created.seo.id)
  },
  6: async (ask) => {
    const target = (await ask('POST articles', { title: 'target' })).body.data
    const one = (await ask('POST articles', { title: 'one', related: [target.id] })).body.data
    await ask('POST articles', { title: 'two', related: [target.documentId] })
    const shown = await ask(`GET articles/${one.documentId}?populate=related&status=draft`)
    expect(outcome(shown, 'related.title')).to.deep.equal(['target'])
    const self = await ask(`PUT articles/${one.documentId}?populate=related`, {
      related: [one.documentId],
    })
    expect(outcome(self, 'related.title')).to.deep.equal(['one'])
  },
  7: async (ask) => {
    expect(outcome(await ask('user GET articles?status=draft'), '')).to.equal(
      '403 ForbiddenError: Forbidden',
    )
    const hidden = await ask('GET tags?filters[articles][title]=Draft eight')
    expect(outcome(hidden, 'name')).to.deep.equal([])
    const shown = await ask('GET tags/{{blue}}?populate[articles][count]=true')
    expect(outcome(shown, 'articles')).to.deep.equal({ count: 1 })
  },
  8: async (ask) => {
    const created = (await ask('POST articles', { title: 'xx', locale: 'fr', views: 1 })).body.data
    expect(created.locale).to.equal('fr')
    const target = `articles/${created.documentId}`
    expect(outcome(await ask(`PUT ${target}?locale=xx`, { title: 'yy' }), '')).to.match(
      /^400 .*locale: xx/,
    )
    expect(outcome(await ask(`PUT ${target}?locale=fr`, { locale: 'de' }), '')).to.match(
      /^400 .*locale/,
    )
    await ask(`PUT ${target}?locale=en`, { title: 'yy', views: 42 })
    const drafts = await ask(
      `GET articles?filters[documentId]=${created.documentId}&locale=*&status=draft`,
    )
    expect(outcome(drafts, 'views')).to.deep.equal([42, 42])
  },
  9: async (ask) => {
    const refusal = (option: string): string =>
      `400 ValidationError: populate.related.${option}: Invalid key note [note note query populate]`
    const filtered = await ask('public GET articles?populate[related][filters][note][text]=x')
    expect(outcome(filtered, '')).to.equal(refusal('filters'))
    const sorted = await ask('public GET articles?populate[related][sort]=note.text')
    expect(outcome(sorted, '')).to.equal(refusal('sort'))
  },
  10: async (ask) => {
    const faults = [
      [{ zone: [{ __component: 'sections.hero', heading: 'h' }] }, 'zone.0.__component'],
      [{ picture: '{{txt}}' }, 'picture'],
      [{ big: '4' }, 'big'],
      [{ big: '9007199254740994' }, 'big'],
      [{ mail: 'a@b.c' }, 'mail'],
    ] as const
    for (const [data, where] of faults) {
      const answer = await ask('POST samples', { label: 'x', ...data })
      expect(outcome(answer, ''), JSON.stringify(data)).to.match(
        new RegExp(`^400 .*\\[${where}\\]$`),
      )
    }
    expect((await ask('POST strict-items?status=draft', {})).status).to.equal(201)
  },
  11: async (ask) => {
    const sent = { data: '{"b":1}', ratio: 1.23456789, hour: '10:20:30.500' }
    const { body } = await ask('POST samples', { label: 'x', ...sent })
    expect(body.data).to.include(sent)
    const ordered = await ask('POST samples', { label: 'x', data: { zz: 1, a: 2 } })
    expect(Object.keys(ordered.body.data.data)).to.deep.equal(['zz', 'a'])
  },
  12: async (ask) => {
    const wrong = await ask('PATCH tags')
    expect([wrong.status, wrong.body.error.name]).to.deep.equal([405, 'MethodNotAllowedError'])
    expect(wrong.headers['allow']).to.equal('HEAD, GET, POST')
    expect(outcome(await ask('POST nopes'), '')).to.equal('404 NotFoundError: Not Found')
    expect(outcome(await ask('DELETE articles/{{a3}}?status=draft'), '')).to.match(/^400 .*status/)
    expect((await ask('GET users/424242')).status).to.equal(404)
    expect(wrong.headers).not.to.have.property('x-powered-by')
  },
  13: async (ask) => {
    const answer = await ask('POST samples', {
      label: 'x',
      zone: [{ __component: 'sections.nope', a: 1 }],
    })
    const { errors } = answer.body.error.details
    expect(errors).to.have.lengthOf(1)
    expect(errors[0]).to.include({ message: answer.body.error.message, value: 'sections.nope' })
    expect(errors[0].path).to.deep.equal(['zone', '0', '__component'])
  },
  14: async (ask) => {
    const { documentId } = (await ask('POST articles?status=draft', { title: 'later' })).body.data
    expect((await ask(`GET articles/${documentId}`)).status).to.equal(404)
    const published = await ask(`POST articles/${documentId}/actions/publish`)
    expect([published.status, outcome(published, 'title')]).to.deep.equal([200, 'later'])
    expect((await ask(`GET articles/${documentId}`)).status).to.equal(200)
  },
}

async function expectRefused(ask: Ask, targets: readonly string[]): Promise<void> {
  for (const target of targets) {
    expect(outcome(await ask(`GET ${target}`), ''), target).to.match(/^400 ValidationError: /)
  }
}

describe('docs/differences.md', () => {
  it('has the differences that are tested here, in their order', () => {
    expect(sections.map(({ number }) => number)).to.deep.equal(Object.keys(OURS).map(Number))
  })

  it('gives a reason for each difference, and links to existing decisions', () => {
    for (const { number, why, links } of sections) {
      expect(why, String(number)).to.match(/^\S.{10,}/)
      for (const link of links)
        expect(existsSync(path.join(ROOT, 'docs', link)), link).to.equal(true)
    }
  })

  it('names exactly the cases with a different recorded response', function () {
    if (!existsSync(path.join(SUITE, 'deviations.json'))) this.skip()
    const shared = deviationsIn(path.join(SUITE, 'deviations.json'))
    const own = deviationsIn(path.join(ROOT, 'test/conformance/deviations.json'))
    const known = { ...shared, ...own }
    const named = Object.fromEntries(
      sections.flatMap(({ number, cases }) => cases.map((id) => [id, number])),
    )
    for (const [id, number] of Object.entries(named)) expect(known[id], id).to.equal(number)
    for (const [id, number] of Object.entries(shared)) {
      if (!(id in own)) expect(named[id], id).to.equal(number)
    }
  })
})

function deviationsIn(file: string): Readonly<Record<string, number>> {
  if (!existsSync(file)) return {}
  const all: Json = JSON.parse(readFileSync(file, 'utf8'))
  return Object.fromEntries(Object.entries(all).map(([id, one]) => [id, (one as Json).difference]))
}

describe('the deliberate differences', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_differences')
    await loadLibrary(library)
  })

  after(() => library.close())

  const ask: Ask = (request, data) => {
    const [, who = 'root', method = '', target = ''] =
      /^(?:([a-z]+) )?([A-Z]+) (.+)$/.exec(request) ?? []
    return library.as(who as Principal, method, `/api/${target}`, data && { data })
  }
  for (const [number, answersOurWay] of Object.entries(OURS)) {
    it(`${number}. ${new RegExp(`^## ${number}\\. (.+)$`, 'm').exec(page)?.[1]}`, () =>
      answersOurWay(ask))
  }
})
