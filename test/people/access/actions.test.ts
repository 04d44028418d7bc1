import { expect } from 'chai'
import {
  compileActions,
  contentAction,
  contentVerbs,
  pluginAction,
} from '../../../src/people/access/actions.ts'
import { sampleSchema } from './sample-schema.ts'

describe('compileActions', () => {
  const schema = sampleSchema()
  const actions = compileActions(schema)
  const namesOf = (subject: string): string[] =>
    actions.all.filter((action) => action.subject === subject).map(({ name }) => name)

  it('names the actions of a collection type with draft & publish', () => {
    expect(namesOf('api::article.article')).to.deep.equal(
      ['find', 'findOne', 'create', 'update', 'delete', 'sync', 'readDrafts', 'publish'].map(
        (verb) => `api::article.article.${verb}`,
      ),
    )
  })

  it('leaves out actions that a type does not support', () => {
    expect(namesOf('api::tag.tag')).to.deep.equal(
      ['find', 'findOne', 'create', 'update', 'delete', 'sync'].map(
        (verb) => `api::tag.tag.${verb}`,
      ),
    )
    expect(contentVerbs({ kind: 'singleType', draftAndPublish: true })).to.deep.equal([
      'find',
      'update',
      'delete',
      'sync',
      'readDrafts',
      'publish',
    ])
  })

  it('uses the reference names for plugin actions and lists each action once', () => {
    for (const name of [
      'plugin::upload.content-api.destroy',
      'plugin::users-permissions.auth.callback',
      'plugin::users-permissions.user.me',
      'plugin::users-permissions.role.findOne',
      'plugin::i18n.locales.listLocales',
    ]) {
      expect(actions.has(name), name).to.equal(true)
    }
    expect(namesOf('plugin::users-permissions.user')).to.have.length(7)
    expect(new Set(actions.all.map(({ name }) => name)).size).to.equal(actions.all.length)
  })

  it('does not know undefined actions', () => {
    for (const name of ['', 'constructor', '__proto__', 'api::nope.nope.find']) {
      expect(actions.has(name), name).to.equal(false)
    }
  })

  it('builds action names of content-types and plugins', () => {
    const plan = schema.contentTypes.get('api::tag.tag')
    if (plan === undefined) throw new Error('no tag')
    expect(contentAction(plan, 'find')).to.equal('api::tag.tag.find')
    expect(pluginAction('plugin::upload.content-api', 'upload')).to.equal(
      'plugin::upload.content-api.upload',
    )
  })
})
