import { expect } from 'chai'
import { SchemaError } from '../../src/schema/schema-error.ts'
import { fillUrl, isUrlTemplate, namesInUrl } from '../../src/schema/url-template.ts'
import { compile, typeFile } from './define.ts'

function faultsOf(url: unknown): readonly string[] {
  const attributes = {
    slug: { type: 'uid' },
    title: { type: 'string' },
    body: { type: 'blocks' },
    code: { type: 'string', private: true },
  }
  try {
    compile(typeFile('page', attributes, { options: { url } }))
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults.map((fault) => fault.replace(/^.*?\.json: /, ''))
  }
}

describe('templates of URLs', () => {
  for (const good of ['/', '/a/{slug}', '/a?id={documentId}', 'https://example.org/{slug}#x']) {
    it(`accepts ${good}`, () => {
      expect(isUrlTemplate(good)).to.equal(true)
    })
  }
  for (const bad of [
    '',
    'articles/{slug}',
    '//example.org/{slug}',
    '/a b/{slug}',
    '/{slug',
    String.raw`/\example.org`,
    'javascript:alert(1)',
    '{slug}',
    'https://{slug}.example.org/',
    'https://user@example.org/',
    'https://example.org',
  ]) {
    it(`refuses ${bad}`, () => {
      expect(isUrlTemplate(bad)).to.equal(false)
    })
  }

  it('escapes values, and has no URL without one of them', () => {
    const template = '/{locale}/a/{slug}?n={views}&again={slug}'
    expect(namesInUrl(template)).to.deep.equal(['locale', 'slug', 'views'])
    const fill = (slug: unknown): string | null =>
      fillUrl(template, (name) => (name === 'slug' ? slug : { locale: 'en', views: 3 }[name]))
    expect(fill('a/../b?c d')).to.equal('/en/a/a%2F..%2Fb%3Fc%20d?n=3&again=a%2F..%2Fb%3Fc%20d')
    for (const missing of ['', null, undefined, {}, '.', '..']) {
      expect(fill(missing)).to.equal(null)
    }
  })

  it('name attributes that responses show', () => {
    expect(faultsOf('/{locale}/{slug}/{title}')).to.deep.equal([])
    expect(faultsOf('/{slog}')).to.deep.equal([
      'options.url: no attribute slog; did you mean slug?',
    ])
    expect(faultsOf('/{code}')).to.deep.equal([
      'options.url: code is private, so no URL may show it',
    ])
    expect(faultsOf('/{body}')).to.deep.equal([
      'options.url: body has the type blocks, which fits into no URL',
    ])
    expect(faultsOf('articles')[0]).to.match(/^options\.url: must be a path/)
  })
})
