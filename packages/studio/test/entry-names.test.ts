import { expect } from 'chai'
import { entriesNameOf, entryNameOf, listTitleOf } from '../src/api/content-types.ts'
import { german } from '../src/texts/german.ts'
import { textsOf } from '../src/texts/texts.ts'

const PAGE = {
  kind: 'collectionType',
  singularName: 'landing-page',
  pluralName: 'landing-pages',
  displayName: 'Landing Page',
} as const
const NAMED = { ...PAGE, displayName: 'Zielseite' }

describe('the name of an entry within a sentence', () => {
  it('is lowercase in English, and unchanged in German', () => {
    expect(entryNameOf(PAGE, 'en')).to.equal('landing page')
    expect(entryNameOf(PAGE, 'de')).to.equal('Landing Page')
    expect(entriesNameOf(PAGE, 'en')).to.equal('landing pages')
    expect(entriesNameOf(PAGE, 'de')).to.equal('Landing pages')
  })

  it('keeps acronyms in capitals', () => {
    const faq = {
      ...PAGE,
      singularName: 'faq-page',
      pluralName: 'faq-pages',
      displayName: 'FAQ Page',
    } as const
    expect(entryNameOf(faq, 'en')).to.equal('FAQ page')
    expect(listTitleOf(faq)).to.equal('FAQ pages')
    expect(entriesNameOf(faq, 'en')).to.equal('FAQ pages')
    const api = { ...PAGE, singularName: 'api', pluralName: 'apis', displayName: 'Api' } as const
    expect(entryNameOf(api, 'en')).to.equal('API')
    expect(listTitleOf(api)).to.equal('APIs')
  })

  it('prefers a different display name', () => {
    expect(entryNameOf(NAMED, 'en')).to.equal('Zielseite')
    expect(entryNameOf(NAMED, 'de')).to.equal('Zielseite')
  })

  it('fits a German sentence', () => {
    const { t } = textsOf('de', german)
    expect(t('palette.new', { name: entryNameOf(PAGE, 'de') })).to.equal('Landing Page anlegen')
  })
})
