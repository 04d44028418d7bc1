import { expect } from 'chai'
import { entriesNameOf, entryNameOf } from '../src/api/content-types.ts'
import { german } from '../src/texts/german.ts'
import { textsOf } from '../src/texts/texts.ts'

const PAGE = {
  kind: 'collectionType',
  singularName: 'landing-page',
  pluralName: 'landing-pages',
  displayName: 'Landing Page',
} as const
const NAMED = { ...PAGE, displayName: 'Zielseite' }

describe('what an entry is called within a sentence', () => {
  it('is the name of its type in small letters in English, and as it is shown in German', () => {
    expect(entryNameOf(PAGE, 'en')).to.equal('landing page')
    expect(entryNameOf(PAGE, 'de')).to.equal('Landing Page')
    expect(entriesNameOf(PAGE, 'en')).to.equal('landing pages')
    expect(entriesNameOf(PAGE, 'de')).to.equal('Landing pages')
  })

  it('is the name to show where that is another', () => {
    expect(entryNameOf(NAMED, 'en')).to.equal('Zielseite')
    expect(entryNameOf(NAMED, 'de')).to.equal('Zielseite')
  })

  it('stands in a German sentence', () => {
    const { t } = textsOf('de', german)
    expect(t('palette.new', { name: entryNameOf(PAGE, 'de') })).to.equal('Landing Page anlegen')
  })
})
