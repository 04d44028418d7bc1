import { expect } from 'chai'
import { fillPreview, previewOrigin, previewProblem } from '../../src/schema/preview-template.ts'

describe('templates of preview URLs', () => {
  it('accepts only addresses with a fixed origin', () => {
    for (const good of [
      'https://app.example.org/p/{documentId}?s={secret}',
      'http://127.0.0.1:3000/?locale={locale}#{status}',
    ]) {
      expect(previewProblem(good), good).to.equal(null)
    }
    expect(previewOrigin('https://app.example.org:8443/{documentId}')).to.equal(
      'https://app.example.org:8443',
    )
    for (const bad of [
      '',
      '/preview/{documentId}',
      'javascript:alert(1)',
      'https://{documentId}.example.org/',
      'https://example.org{documentId}/',
      'https://user@example.org/',
      'https://example.org',
      'https://example.org; script-src *//',
      'ftp://example.org/',
    ]) {
      expect(previewProblem(bad), bad).to.be.an('object')
    }
    expect(previewProblem('https://example.org/{id}')).to.deep.equal({ place: 'id' })
  })

  it('escapes the inserted values', () => {
    const template = 'https://app.example.org/{locale}/{documentId}?s={status}&k={secret}'
    const values = { documentId: '../x?y', locale: 'pt-BR', status: 'draft', secret: 'a&b#c' }
    expect(fillPreview(template, values)).to.equal(
      'https://app.example.org/pt-BR/..%2Fx%3Fy?s=draft&k=a%26b%23c',
    )
  })
})
