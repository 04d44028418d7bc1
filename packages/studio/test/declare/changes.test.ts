import { expect } from 'chai'
import type { DeclaredFile, Json } from '../../src/api/declarations.ts'
import { changesOf } from '../../src/screens/declare/changes.ts'
import {
  type Draft,
  draftOf,
  apiNameFrom,
  newComponentDraft,
  newType,
} from '../../src/screens/declare/draft.ts'

const file = (uid: string, attributes: Json, more: Json = {}): DeclaredFile => ({
  uid,
  kind: uid.startsWith('api::') ? 'contentType' : 'component',
  content: { info: { singularName: 'x' }, ...more, attributes },
})

const NO_VALUES = { values: [], chosenNames: {} }

const TITLE = { type: 'string' }
const relation = (kind: string, target: string, side: Json = {}): Json => ({
  type: 'relation',
  relation: kind,
  target,
  ...side,
})
const attributesIn = (changes: Readonly<Record<string, Json | null>>, uid: string): unknown =>
  changes[uid]?.['attributes']

const edit = (
  draft: Draft,
  name: string,
  change: (attribute: Draft['attributes'][number]) => Draft['attributes'][number] | null,
): Draft => ({
  ...draft,
  attributes: draft.attributes.flatMap((one) => (one.name === name ? (change(one) ?? []) : [one])),
})

describe('the changes of a saved declaration', () => {
  const posts = file('api::post.post', {
    title: TITLE,
    writer: relation('manyToOne', 'api::person.person', { inversedBy: 'posts' }),
  })
  const people = file('api::person.person', {
    name: TITLE,
    posts: relation('oneToMany', 'api::post.post', { mappedBy: 'writer' }),
  })
  const both = [posts, people]

  it('contain only the file itself, key for key, without an edit', () => {
    for (const one of both) {
      const changes = changesOf(draftOf(one), both)
      expect(JSON.stringify(changes)).to.equal(JSON.stringify({ [one.uid]: one.content }))
    }
  })

  it('keep keys unknown to the forms', () => {
    const odd = file('api::odd.odd', { title: { ...TITLE, column: 'x' } }, { config: { a: 1 } })
    expect(changesOf(draftOf(odd), [odd])).to.deep.equal({ 'api::odd.odd': odd.content })
  })

  it('follow a renamed attribute in all references', () => {
    const type = file(
      'api::post.post',
      { title: TITLE, slug: { type: 'uid', targetField: 'title' } },
      {
        options: {
          indexes: ['title:desc', ['slug', 'title']],
          search: { title: 3, slug: 1 },
          url: '/{locale}/{slug}/{title}',
          api: { filterable: ['title'], populate: ['title.author', 'slug'] },
        },
      },
    )
    const draft = edit(draftOf(type), 'title', (one) => ({ ...one, name: 'heading' }))
    expect(changesOf(draft, [type])['api::post.post']).to.deep.equal({
      info: { singularName: 'x' },
      options: {
        indexes: ['heading:desc', ['slug', 'heading']],
        search: { heading: 3, slug: 1 },
        url: '/{locale}/{slug}/{heading}',
        api: { filterable: ['heading'], populate: ['heading.author', 'slug'] },
      },
      attributes: {
        heading: { ...TITLE, from: 'title' },
        slug: { type: 'uid', targetField: 'heading' },
      },
    })
  })

  it('lose the references to a removed attribute, except in a URL', () => {
    const type = file(
      'api::post.post',
      { title: TITLE, slug: TITLE, tags: TITLE },
      {
        options: {
          indexes: ['title:desc', ['slug', 'title'], 'slug'],
          search: { title: 3 },
          url: '/{slug}/{title}',
          api: {
            filterable: ['title', 'slug'],
            populate: { title: true, tags: { populate: ['title'] } },
          },
        },
        adopt: { collection: 'posts', paths: { title: 'a.b', slug: 'c' } },
      },
    )
    const draft = draftOf(type)
    const left = draft.attributes.filter(({ name }) => name !== 'title')
    expect(changesOf({ ...draft, attributes: left }, [type])['api::post.post']).to.deep.equal({
      info: { singularName: 'x' },
      options: {
        indexes: ['slug'],
        url: '/{slug}/{title}',
        api: { filterable: ['slug'], populate: { tags: { populate: ['title'] } } },
      },
      adopt: { collection: 'posts', paths: { slug: 'c' } },
      attributes: { slug: TITLE, tags: TITLE },
    })
    const replaced = draft.attributes.map((one) =>
      one.name === 'title' ? { ...one, was: null } : one,
    )
    expect(changesOf({ ...draft, attributes: replaced }, [type])).to.deep.equal({
      'api::post.post': type.content,
    })
  })

  it('rename in a populate the attributes of the type itself only', () => {
    const populate = {
      cover: { fields: ['url'] },
      writer: { populate: ['cover'] },
      parent: { fields: ['title'], populate: { cover: true } },
    }
    const parent = { type: 'relation', relation: 'manyToOne', target: 'api::post.post' }
    const type = (asked: unknown): DeclaredFile =>
      file(
        'api::post.post',
        { title: TITLE, cover: TITLE, parent, writer: TITLE },
        {
          options: { api: { populate: asked } },
        },
      )
    const rename = (asked: unknown): unknown => {
      const declared = type(asked)
      const draft = edit(draftOf(declared), 'cover', (one) => ({ ...one, name: 'picture' }))
      const options = changesOf(draft, [declared])['api::post.post']?.['options']
      return (options as { readonly api: { readonly populate: unknown } }).api.populate
    }
    expect(rename(populate)).to.deep.equal({
      picture: { fields: ['url'] },
      writer: { populate: ['cover'] },
      parent: { fields: ['title'], populate: { picture: true } },
    })
    expect(rename('cover,parent.cover,writer.cover')).to.equal(
      'picture,parent.picture,writer.cover',
    )
    expect(rename('*')).to.equal('*')
  })

  it('keep the member of a renamed attribute in a collection of another service', () => {
    const adopt = { collection: 'orders', paths: { total: 'amounts.total' } }
    const attributes = { number: TITLE, total: TITLE, title: TITLE }
    const type = file('api::order.order', attributes, { adopt })
    const names: Readonly<Record<string, string>> = { number: 'total', total: 'sum' }
    const draft = draftOf(type)
    const renamed = draft.attributes.map((one) => ({ ...one, name: names[one.name] ?? one.name }))
    const changes = changesOf({ ...draft, attributes: renamed }, [type])
    expect(changes['api::order.order']).to.deep.include({
      adopt: { collection: 'orders', paths: { sum: 'amounts.total', total: 'number' } },
      attributes: { total: TITLE, sum: TITLE, title: TITLE },
    })
  })

  it('name all older names of an attribute, newest first', () => {
    const type = file('api::post.post', { title: { ...TITLE, from: 'name' } })
    const rename = (name: string) =>
      attributesIn(
        changesOf(
          edit(draftOf(type), 'title', (one) => ({ ...one, name })),
          [type],
        ),
        'api::post.post',
      )
    expect(rename('heading')).to.deep.equal({ heading: { ...TITLE, from: ['title', 'name'] } })
    expect(rename('name')).to.deep.equal({ name: { ...TITLE, from: 'title' } })
  })

  it('rename the other side of a relation, from either side', () => {
    const fromOwner = edit(draftOf(posts), 'writer', (one) => ({ ...one, name: 'author' }))
    const owned = changesOf(fromOwner, both)
    expect(attributesIn(owned, 'api::person.person')).to.deep.equal({
      name: TITLE,
      posts: relation('oneToMany', 'api::post.post', { mappedBy: 'author' }),
    })
    const fromInverse = edit(draftOf(people), 'posts', (one) => ({ ...one, name: 'texts' }))
    const mapped = changesOf(fromInverse, both)
    expect(attributesIn(mapped, 'api::post.post')).to.deep.equal({
      title: TITLE,
      writer: relation('manyToOne', 'api::person.person', { inversedBy: 'texts' }),
    })
  })

  it('delete an inverse side, and keep an owning side', () => {
    const withoutOwner = changesOf(
      edit(draftOf(posts), 'writer', () => null),
      both,
    )
    expect(attributesIn(withoutOwner, 'api::person.person')).to.deep.equal({ name: TITLE })
    const withoutInverse = changesOf(
      edit(draftOf(people), 'posts', () => null),
      both,
    )
    expect(attributesIn(withoutInverse, 'api::post.post')).to.deep.equal({
      title: TITLE,
      writer: relation('manyToOne', 'api::person.person'),
    })
  })

  for (const [kind, own, back] of [
    ['oneToOne', 'inversedBy', relation('oneToOne', 'api::tag.tag', { mappedBy: 'posts' })],
    ['oneToMany', 'mappedBy', relation('manyToOne', 'api::tag.tag', { inversedBy: 'posts' })],
    ['manyToOne', 'inversedBy', relation('oneToMany', 'api::tag.tag', { mappedBy: 'posts' })],
    ['manyToMany', 'inversedBy', relation('manyToMany', 'api::tag.tag', { mappedBy: 'posts' })],
  ] as const) {
    it(`create the other side of a ${kind} relation`, () => {
      const tag = newType({
        displayName: 'Tag',
        singularName: 'tag',
        pluralName: 'tags',
        kind: 'collectionType',
      })
      const options = relation(kind, 'api::post.post')
      const attributes = [
        { key: 'a', name: 'posts', was: null, options, otherSide: 'tags', ...NO_VALUES },
      ]
      const changes = changesOf({ ...tag, attributes }, both)
      expect(attributesIn(changes, 'api::tag.tag')).to.deep.equal({
        posts: { ...options, [own]: 'tags' },
      })
      expect(attributesIn(changes, 'api::post.post')).to.deep.equal({
        title: TITLE,
        writer: relation('manyToOne', 'api::person.person', { inversedBy: 'posts' }),
        tags: back,
      })
      expect(Object.keys(changes)).to.deep.equal(['api::tag.tag', 'api::post.post'])
    })
  }

  it('keep a relation to the same type in one file', () => {
    const page = file('api::page.page', { title: TITLE })
    const draft = draftOf(page)
    const options = relation('manyToOne', 'api::page.page')
    const parent = {
      key: 'a',
      name: 'parent',
      was: null,
      options,
      otherSide: 'children',
      ...NO_VALUES,
    }
    const changes = changesOf({ ...draft, attributes: [...draft.attributes, parent] }, [page])
    expect(attributesIn(changes, 'api::page.page')).to.deep.equal({
      title: TITLE,
      parent: { ...options, inversedBy: 'children' },
      children: relation('oneToMany', 'api::page.page', { mappedBy: 'parent' }),
    })
  })

  describe('two sides in one type', () => {
    const page = file('api::page.page', {
      parent: relation('manyToOne', 'api::page.page', { inversedBy: 'children' }),
      children: relation('oneToMany', 'api::page.page', { mappedBy: 'parent' }),
    })
    const after = (draft: Draft): unknown =>
      attributesIn(changesOf(draft, [page]), 'api::page.page')

    it('keeps both sides', () => {
      expect(after(draftOf(page))).to.deep.equal(page.content?.['attributes'])
    })

    it('renames one side in the other', () => {
      const draft = edit(draftOf(page), 'parent', (one) => ({ ...one, name: 'above' }))
      expect(after(draft)).to.deep.equal({
        above: relation('manyToOne', 'api::page.page', {
          inversedBy: 'children',
          from: 'parent',
        }),
        children: relation('oneToMany', 'api::page.page', { mappedBy: 'above' }),
      })
    })

    it('deletes an inverse with its owner, and keeps an owner', () => {
      expect(after(edit(draftOf(page), 'parent', () => null))).to.deep.equal({})
      expect(after(edit(draftOf(page), 'children', () => null))).to.deep.equal({
        parent: relation('manyToOne', 'api::page.page'),
      })
    })
  })

  it('derives file names from display names', () => {
    expect(apiNameFrom('  Größe & Maß ')).to.equal('grosse-mass')
    expect(apiNameFrom('2. Café')).to.equal('cafe')
    expect(
      newComponentDraft({ displayName: 'Link', category: 'shared', name: 'link' }).rest,
    ).to.deep.equal({
      collectionName: 'components_shared_links',
      info: { displayName: 'Link' },
      options: {},
    })
  })
})
