import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isCssColour, isCssLength } from '../../../src/base/config/css-values.ts'
import { readStudioSettings, STUDIO_VARIABLES } from '../../../src/base/config/studio-settings.ts'

function faultsOf(given: unknown): readonly string[] {
  return readStudioSettings(given).faults.map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  )
}

const COLOUR = 'must be a colour, such as #2f4fd0, rgb(47 79 208) or light-dark(#2f4fd0, #8ea2ff)'
const URL_FAULT = 'must be an https URL, or a path on this server such as /api/docs'

describe('readStudioSettings', () => {
  it('returns all members of a valid branding', () => {
    const given = {
      title: ' Harbour ',
      logo: 'brand/logo.svg',
      favicon: 'brand/icon.ico',
      cssVariables: { '--accent': 'light-dark(#2f4fd0, #8ea2ff)', '--radius': '4px' },
      links: [
        { label: 'Handbook', url: 'https://example.org/handbook?a=1#b' },
        { label: 'API', url: '/api/docs' },
      ],
    }
    expect(readStudioSettings(given)).to.deep.equal({ ...given, title: 'Harbour', faults: [] })
  })

  it('counts undefined and null as unset', () => {
    for (const given of [undefined, null, {}, { title: null, links: undefined }]) {
      expect(readStudioSettings(given)).to.deep.equal({
        title: null,
        logo: null,
        favicon: null,
        cssVariables: {},
        links: [],
        faults: [],
      })
    }
  })

  const faults: readonly [unknown, readonly string[]][] = [
    [3, ['studio: must be an object']],
    [{ titel: 'a' }, ['studio.titel: is not a member of the configuration; did you mean title?']],
    [
      { title: 'a'.repeat(61) },
      ['studio.title: must be a text of 1 to 60 characters without control characters'],
    ],
    [
      { title: 'a\nb' },
      ['studio.title: must be a text of 1 to 60 characters without control characters'],
    ],
    [{ cssVariables: [] }, ['studio.cssVariables: must be an object']],
    [
      { cssVariables: { '--acent': '#fff' } },
      ['studio.cssVariables.--acent: is not a member of the configuration; did you mean --accent?'],
    ],
    [{ cssVariables: { '--accent': '</style>' } }, [`studio.cssVariables.--accent: ${COLOUR}`]],
    [{ cssVariables: { '--accent': '8px' } }, [`studio.cssVariables.--accent: ${COLOUR}`]],
    [
      { cssVariables: { '--radius': '#fff' } },
      ['studio.cssVariables.--radius: must be a length, such as 8px or 0.5rem'],
    ],
    [{ links: {} }, ['studio.links: must be a list of at most 20 links']],
    [
      { links: Array.from({ length: 21 }, () => ({ label: 'a', url: '/' })) },
      ['studio.links: must be a list of at most 20 links'],
    ],
    [{ links: ['/a'] }, ['studio.links.0: must be an object with label and url']],
    [{ links: [{ label: 'a' }] }, ['studio.links.0.url: is missing']],
    [
      { links: [{ labl: 'a', url: '/', label: 'b' }] },
      ['studio.links.0.labl: is not a member of the configuration; did you mean label?'],
    ],
  ]
  for (const [given, expected] of faults) {
    it(`refuses ${JSON.stringify(given).slice(0, 60)}`, () => {
      expect(faultsOf(given)).to.deep.equal(expected)
    })
  }

  for (const url of [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'http://example.org',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a b',
    'https://user:secret@example.org',
    'https://',
    'relative',
    'blob:https://example.org/1',
  ]) {
    it(`refuses the address ${JSON.stringify(url)}`, () => {
      const [fault = ''] = faultsOf({ links: [{ label: 'a', url }] })
      expect(fault).to.match(/^studio\.links\.0\.url: must be /)
      if (!url.includes('\t')) expect(fault).to.contain(URL_FAULT)
    })
  }

  it('accepts only addresses of https, whatever the text', () => {
    const part = fc.constantFrom('/', '\\', ':', 'https', 'javascript', '@', '.', 'a', ' ', '\t')
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (url) => {
        const [link] = readStudioSettings({ links: [{ label: 'a', url }] }).links
        if (link === undefined) return
        const { protocol, host } = new URL(link.url, 'https://server.invalid')
        expect(protocol).to.equal('https:')
        if (link.url.startsWith('/')) expect(host).to.equal('server.invalid')
      }),
    )
  })

  it('knows only variables that the Studio has', () => {
    const tokens = readFileSync('packages/studio/src/design/tokens.css', 'utf8')
    for (const name of Object.keys(STUDIO_VARIABLES)) expect(tokens).to.contain(`  ${name}: `)
  })
})

describe('isCssColour', () => {
  for (const text of [
    '#fff',
    '#2F4FD0',
    '#2f4fd080',
    'rgb(47 79 208)',
    'rgb(47, 79, 208, 0.5)',
    'hsl(228deg 63% 50% / 80%)',
    'oklch(0.5 0.2 270)',
    'oklab(0.5 -0.1 .2)',
    'light-dark(#2f4fd0, rgb(142 162 255))',
  ]) {
    it(`accepts ${text}`, () => expect(isCssColour(text)).to.equal(true))
  }

  for (const text of [
    '',
    '#ff',
    '#fffff',
    '#fff;}',
    '#fff}</style><script>alert(1)</script>',
    'url(https://evil.example)',
    'var(--ink)',
    'rgb(1 2)',
    'rgb(url(a) 1 2)',
    'rgb(1 2 3);color:red',
    'light-dark(#fff)',
    'light-dark(light-dark(#fff, #000), #000)',
    'expression(alert(1))',
    `#fff${' '.repeat(300)}`,
  ]) {
    it(`refuses ${JSON.stringify(text).slice(0, 50)}`, () =>
      expect(isCssColour(text)).to.equal(false))
  }

  it('accepts no text that can end a value', () => {
    const part = fc.constantFrom('#', 'f', '0', '(', ')', ',', '/', ' ', 'rgb', ';', '}', '<', '"')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        if (isCssColour(text)) expect(text).to.match(/^[#\w(),./%+\s-]+$/)
      }),
    )
  })
})

describe('isCssLength', () => {
  it('accepts 0, px, rem and em below 100', () => {
    const lengths = [
      '0',
      '8px',
      '0.5rem',
      '1.25em',
      '100px',
      '8',
      '-1px',
      '8px;',
      'calc(1px)',
      '5vw',
    ]
    expect(lengths.map(isCssLength)).to.deep.equal([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ])
  })
})
