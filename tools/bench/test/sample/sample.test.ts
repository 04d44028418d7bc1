import { expect } from 'chai'
import { mapCity } from '../../src/sample/map-cities.ts'
import { mapCountry, mapLanguages } from '../../src/sample/map-countries.ts'
import { sampleId, toImportedDocument } from '../../src/sample/sample-document.ts'
import { SAMPLE_LOCALES } from '../../src/sample/sample-locales.ts'
import { compileSample, SAMPLE_UIDS } from '../../src/sample/sample-parts.ts'
import { ARTICLES } from '../../src/sample/texts/articles.ts'
import { loadWorldCountries } from '../../src/sample/world-countries.ts'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { isDocumentId } from '../../../../src/mongo/versions/document-id.ts'
import type { Status } from '../../../../src/query/query.ts'
import type { Data } from '../../../../src/schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../../../src/schema/plan.ts'

const COUNTRIES = loadWorldCountries()

function countryOf(cca3: string) {
  const country = COUNTRIES.find((one) => one.cca3 === cca3)
  if (country === undefined) throw new Error(`no ${cca3}`)
  return country
}

describe('mapCountry', () => {
  it('has a name of every country in every locale of the sample', () => {
    const codes = SAMPLE_LOCALES.map(({ code }) => code)
    for (const country of COUNTRIES) {
      const { versions } = mapCountry(country)
      expect(
        versions.map(({ locale }) => locale),
        country.cca3,
      ).to.deep.equal(codes)
    }
    const names = new Map(
      mapCountry(countryOf('DEU')).versions.map(({ locale, values }) => [locale, values['name']]),
    )
    expect(names.get('en')).to.equal('Germany')
    expect(names.get('de')).to.equal('Deutschland')
    expect(names.get('fr')).to.equal('Allemagne')
    expect(names.get('ja')).to.equal('ドイツ')
  })

  it('omits a locale without a translation', () => {
    const { deu: _, ...translations } = countryOf('FRA').translations
    const { versions } = mapCountry({ ...countryOf('FRA'), translations })
    expect(versions.map(({ locale }) => locale))
      .to.include('en')
      .and.not.include('de')
  })

  it('contains the facts, with null for unknown ones', () => {
    const [antarctica] = mapCountry(countryOf('ATA')).versions
    expect(antarctica?.values).to.include({ capital: null, subregion: null, region: 'Antarctic' })
    const [svalbard] = mapCountry(countryOf('SJM')).versions
    expect(svalbard?.values['area']).to.equal(null)
    const [southAfrica] = mapCountry(countryOf('ZAF')).versions
    expect(southAfrica?.values['capital']).to.equal('Pretoria, Bloemfontein, Cape Town')
  })

  it('has symmetric borders', () => {
    const documents = new Map(
      COUNTRIES.map(mapCountry).map((country) => [country.documentId, country]),
    )
    const bordersOf = (documentId: string) =>
      documents.get(documentId)?.versions[0]?.nested['borders'] as readonly string[] | undefined
    expect(bordersOf(sampleId.country('PRT'))).to.deep.equal([sampleId.country('ESP')])
    for (const documentId of documents.keys()) {
      for (const neighbour of bordersOf(documentId) ?? []) {
        expect(documents.has(neighbour)).to.equal(true)
      }
    }
  })
})

describe('mapLanguages', () => {
  it('contains each language once', () => {
    const languages = mapLanguages(COUNTRIES)
    expect(new Set(languages.map(({ documentId }) => documentId)).size).to.equal(languages.length)
    const names = new Map(
      languages.map(({ versions: [version] }) => [
        version?.values['code'],
        version?.values['name'],
      ]),
    )
    expect(names.get('ron')).to.equal('Romanian')
  })
})

describe('mapCity', () => {
  it('maps latitude and longitude', () => {
    const { versions } = mapCity(
      {
        cityId: 2988507,
        name: 'Paris',
        country: 'FR',
        featureCode: 'PPLC',
        population: 2138551,
        loc: { coordinates: [2.3488, 48.85341] },
      },
      new Map([['FR', 'FRA']]),
    )
    expect(versions[0]?.values).to.deep.equal({
      name: 'Paris',
      population: 2138551,
      featureCode: 'PPLC',
      location: { latitude: 48.85341, longitude: 2.3488 },
    })
    expect(versions[0]?.nested).to.deep.equal({ country: sampleId.country('FRA') })
  })
})

function assertAllowed(
  { validators, draftAndPublish }: ContentTypePlan,
  status: Status,
  data: Data,
) {
  if (!draftAndPublish) {
    validators.direct(data, { creating: true })
    return
  }
  const draft = validators.draft(data, { creating: true })
  if (status === 'published') validators.publishable(draft)
}

describe('the sample', () => {
  const sample = compileSample(500)
  let schema: Schema

  before(async () => {
    schema = await loadSchema('content-types')
  })

  function planOf(uid: string): ContentTypePlan {
    const plan = schema.contentTypes.get(uid)
    if (plan === undefined) throw new Error(`no ${uid}`)
    return plan
  }

  it('has a part per content-type and unique documentIds', () => {
    expect(sample.parts.map(({ uid }) => uid)).to.deep.equal(SAMPLE_UIDS)
    const ids = sample.parts.flatMap((part) =>
      [...part.documents()].map(({ documentId }) => documentId),
    )
    expect(ids.every(isDocumentId)).to.equal(true)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('is deterministic', () => {
    const again = compileSample(500)
    expect(again.parts.map(({ documents }) => [...documents()])).to.deep.equal(
      sample.parts.map(({ documents }) => [...documents()]),
    )
  })

  it('sets only declared attributes, by their kind', () => {
    for (const { uid, documents } of sample.parts) {
      const { attributes } = planOf(uid)
      for (const { values, nested } of [...documents()].flatMap(({ versions }) => versions)) {
        const kinds = (names: string[]) => new Set(names.map((name) => attributes.get(name)?.kind))
        expect([...kinds(Object.keys(values))], uid).to.deep.equal(['scalar'])
        expect(kinds(Object.keys(nested)).has('scalar'), uid).to.equal(false)
        expect(kinds(Object.keys(nested)).has(undefined), uid).to.equal(false)
      }
    }
  })

  it('is publishable with relations and components', () => {
    for (const { uid, documents } of sample.parts) {
      const plan = planOf(uid)
      const versions = [...documents()].flatMap(({ versions }) => versions)
      for (const { status, values, nested } of versions) {
        assertAllowed(plan, status, { ...values, ...nested })
      }
    }
  })

  it('is imported with its relations', () => {
    const [version] = toImportedDocument(mapCountry(countryOf('PRT'))).versions
    expect(version?.data).to.include({ name: 'Portugal', capital: 'Lisbon' })
    expect(version?.data['borders']).to.deep.equal([sampleId.country('ESP')])
  })
})

describe('the articles', () => {
  it('have unique keys, unique slugs per locale, drafts and published texts', () => {
    const texts = ARTICLES.flatMap(({ texts }) => texts)
    expect(new Set(ARTICLES.map(({ key }) => key)).size).to.equal(ARTICLES.length)
    expect(new Set(texts.map(({ locale, slug }) => `${locale} ${slug}`)).size).to.equal(
      texts.length,
    )
    expect(texts.some(({ status }) => status === 'draft')).to.equal(true)
    for (const locale of ['en', 'de', 'fr']) {
      const published = texts.filter((text) => text.locale === locale && text.status !== 'draft')
      expect(published.length, locale).to.be.greaterThan(1)
    }
  })

  it('refer to existing countries', () => {
    const known = new Set(COUNTRIES.map(({ cca3 }) => cca3))
    for (const { countries } of ARTICLES) {
      expect(countries.every((cca3) => known.has(cca3))).to.equal(true)
    }
  })
})
