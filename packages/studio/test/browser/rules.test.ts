import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, openAs } from './editors.ts'
import type { Answer, Server } from './server.ts'

const PIECE = 'api::piece.piece'
const PERSON = 'api::person.person'

describeInBrowser('the rules of roles and tokens', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const rulesOf = async (collection: string, type: string): Promise<readonly Answer[]> => {
    const { data } = await server.ask('GET', `/admin/${collection}`)
    const found = data.find((one: Answer) => one.type === type || one.name === type)
    return found.rules ?? []
  }
  const dialog = () => page.getByRole('dialog').first()
  const openRole = async (type: string, rules: readonly object[]): Promise<void> => {
    await server.ask('POST', '/admin/roles', { type, name: type, rules })
    await page.goto(`${server.address}/studio/settings/api-roles`)
    await page
      .getByRole('listitem')
      .filter({ hasText: type })
      .getByRole('button', { name: 'Edit' })
      .click()
    await dialog().waitFor()
  }
  const choose = async (label: string, option: string): Promise<void> => {
    await page.getByRole('button', { name: label }).last().click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const save = async (): Promise<void> => {
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'detached' })
  }
  const toEdit = (title: string) => dialog().getByRole('button', { name: `Edit: ${title}` })
  const json = () => dialog().getByRole('textbox', { name: 'Rule as JSON' })

  it('gives a role a rule with conditions, fields and values, in one request', async () => {
    await openRole('authors', [])
    await dialog().getByRole('button', { name: 'Add rule' }).click()
    await choose('Type', 'Pieces')
    await choose('Action', 'Update')
    await dialog().getByRole('button', { name: '+ Condition' }).click()
    await choose('Attribute', 'Created by')
    await page.getByRole('button', { name: 'Apply' }).click()
    await dialog().getByRole('button', { name: 'Created by is the signed-in user' }).waitFor()
    await dialog().getByRole('button', { name: '+ Condition' }).click()
    await choose('Attribute', 'Is new')
    await choose('Value', 'Yes')
    await expectAccessible(page, 'condition of a rule')
    await page.getByRole('button', { name: 'Apply' }).click()
    await dialog().getByText('Only selected fields').click()
    for (const name of ['Title', 'Body']) {
      await dialog().getByRole('group', { name: 'Fields' }).getByText(name, { exact: true }).click()
    }
    await dialog().getByRole('button', { name: '+ Value' }).click()
    await choose('Attribute', 'Contact')
    await choose('Source', 'Email of the user')
    await page.getByRole('button', { name: 'Apply' }).click()
    await dialog()
      .getByText(
        'Created by is the signed-in user and Is new is Yes · only Title, Body · sets Contact is Email of the user',
      )
      .waitFor()
    await expectAccessible(page, 'rule')
    const sent: string[] = []
    const note = (request: Request): void => {
      if (request.method() !== 'GET') sent.push(request.method())
    }
    page.on('request', note)
    await save()
    page.off('request', note)
    expect(sent).to.deep.equal(['PUT'])
    expect(await rulesOf('roles', 'authors')).to.deep.equal([
      {
        action: `${PIECE}.update`,
        where: { createdBy: '$user', isNew: true },
        fields: ['title', 'body'],
        set: { contact: '$user.email' },
      },
    ])
  })

  it('keeps the parts of a rule that the form does not show', async () => {
    const odd = {
      action: `${PIECE}.find`,
      where: { $or: [{ author: { name: { $eqi: 'Walt' } } }, { begins: { $lt: '$now' } }] },
    }
    const other = { action: `${PIECE}.find`, where: { $not: { kind: 'poem' } } }
    await openRole('oddities', [odd, other])
    await toEdit('Pieces: List').first().click()
    await dialog().getByText('{"author":{"name":{"$eqi":"Walt"}}}').last().waitFor()
    await dialog().getByRole('button', { name: 'Begins is before the current time' }).click()
    await choose('Condition', 'is after')
    await page.getByRole('button', { name: 'Apply' }).click()
    await save()
    expect(await rulesOf('roles', 'oddities')).to.deep.equal([
      { ...odd, where: { $or: [odd.where.$or[0], { begins: { $gt: '$now' } }] } },
      other,
    ])
  })

  it('shows a rule as JSON, and does not save text that is none', async () => {
    await openRole('writers', [{ action: `${PERSON}.find`, where: { name: 'Emily' } }])
    await toEdit('Persons: List').click()
    await dialog().getByRole('button', { name: 'Edit as JSON' }).click()
    await json().fill('{ "action": "api::person.person.find", ')
    await dialog().getByText('This text is not a rule in JSON.').waitFor()
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByText('The JSON of a rule is not valid.').waitFor()
    await json().fill('{ "action": "api::person.person.find", "where": { "name": "Walt" } }')
    await dialog().getByRole('button', { name: 'Edit as form' }).click()
    await dialog().getByRole('button', { name: 'Name is Walt' }).waitFor()
    await save()
    expect(await rulesOf('roles', 'writers')).to.deep.equal([
      { action: `${PERSON}.find`, where: { name: 'Walt' } },
    ])
  })

  it('shows faults of the server at the part that they name', async () => {
    await openRole('faulty', [
      { action: `${PERSON}.find`, where: { name: 'Emily' } },
      { action: `${PIECE}.update`, where: { title: 'a' } },
    ])
    await toEdit('Pieces: Update').click()
    await dialog().getByRole('button', { name: 'Edit as JSON' }).click()
    const rule = { action: `${PIECE}.update`, where: { titel: 'a' }, set: { pages: 'many' } }
    await json().fill(JSON.stringify(rule))
    await dialog().getByRole('button', { name: 'Edit as form' }).click()
    await dialog().getByText('Only selected fields').click()
    await dialog().getByRole('button', { name: 'Remove Persons: List' }).click()
    await dialog().getByRole('button', { name: 'Save' }).click()
    const fields = dialog().getByRole('group', { name: 'Fields' })
    await fields.getByRole('alert').filter({ hasText: 'At least 1 element' }).waitFor()
    await fields.getByText('Title', { exact: true }).click()
    await dialog().getByRole('button', { name: 'Save' }).click()
    const entries = dialog().getByRole('group', { name: 'Entries' }).getByRole('alert')
    await entries.filter({ hasText: 'The condition of the rule is not valid: ' }).waitFor()
    await dialog().getByRole('button', { name: 'Remove condition' }).click()
    const values = dialog().getByRole('group', { name: 'Values set by the server' })
    await values
      .getByRole('alert')
      .filter({ hasText: 'The values that the rule sets are not valid: ' })
      .waitFor()
    await values.getByRole('button', { name: 'Remove value' }).click()
    await save()
    expect(await rulesOf('roles', 'faulty')).to.deep.equal([
      { action: `${PIECE}.update`, fields: ['title'] },
    ])
  })

  it('marks permissions under a rule in the table, and rules without effect', async () => {
    await openRole('marked', [{ action: `${PERSON}.find`, where: { name: 'Emily' } }])
    const cell = dialog().getByRole('checkbox', { name: 'Persons: List, under a rule' })
    expect(await cell.evaluate((box: HTMLInputElement) => box.indeterminate)).to.equal(true)
    await dialog()
      .getByRole('row', { name: /Persons/ })
      .locator('td label')
      .first()
      .click()
    await dialog().getByText('No effect: the action is selected above without a rule').waitFor()
    await page.keyboard.press('Escape')
  })

  it('gives an API token a rule, which applies at once', async () => {
    await page.goto(`${server.address}/studio/settings/api-tokens`)
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('Poet')
    await choose('Access', 'Selected actions')
    await dialog().getByRole('button', { name: 'Add rule' }).click()
    await dialog().getByRole('button', { name: '+ Condition' }).click()
    await choose('Attribute', 'Name')
    await choose('Condition', 'is')
    await page.getByLabel('Value').fill('Emily')
    await page.getByRole('button', { name: 'Apply' }).click()
    await dialog().getByRole('button', { name: 'Create' }).click()
    const key = await page.getByRole('textbox', { name: 'Token key' }).inputValue()
    const answer = await fetch(`${server.address}/api/persons`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    const { data } = await answer.json()
    expect(data.map(({ name }: Answer) => name)).to.deep.equal(['Emily'])
    expect(await rulesOf('api-tokens', 'Poet')).to.deep.equal([
      { action: `${PERSON}.find`, where: { name: 'Emily' } },
    ])
  })

  it('gives people a rule for their own entries, in German on a phone', async () => {
    const window = await openAs(server, 'Grace')
    const { page: phone } = window
    try {
      await chooseGerman(phone, server)
      await phone.setViewportSize({ width: 320, height: 720 })
      await phone.goto(`${server.address}/studio/settings/administrator-roles`)
      await phone.getByRole('button', { name: 'Neue Rolle' }).click()
      await phone.getByLabel('Name').fill('Gast')
      await phone.getByLabel('Schlüssel').fill('gast')
      await phone.getByRole('button', { name: 'Regel hinzufügen' }).click()
      await phone.getByRole('button', { name: '+ Bedingung' }).click()
      await phone.getByRole('button', { name: 'Attribut' }).click()
      await phone.getByRole('option', { name: 'Angelegt von' }).click()
      await phone.getByRole('button', { name: 'Anwenden' }).click()
      await phone.getByRole('button', { name: 'Angelegt von ist die angemeldete Person' }).waitFor()
      await expectAccessible(phone, 'rule on a phone')
      await expectNoSidewaysScrolling(phone, 'rule on a phone')
      const wide = await phone
        .locator('[role=dialog] form section')
        .first()
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      expect(wide).to.equal(0)
      await phone.getByRole('button', { name: 'Als JSON bearbeiten' }).click()
      const text = phone.getByRole('textbox', { name: 'Regel als JSON' })
      await text.fill('{ "action": "api::person.person.find", "where": { "nam": "a" } }')
      await phone.getByRole('button', { name: 'Speichern' }).click()
      await phone.getByText('Die Bedingung der Regel ist ungültig: ').waitFor()
      await text.fill('{ "action": "api::person.person.find", "where": { "createdBy": "$user" } }')
      await phone.getByRole('button', { name: 'Speichern' }).click()
      await phone.getByRole('listitem').filter({ hasText: 'Gast' }).waitFor()
    } finally {
      await window.close()
    }
    expect(await rulesOf('administrator-roles', 'gast')).to.deep.equal([
      { action: `${PERSON}.find`, where: { createdBy: '$user' } },
    ])
  })
})
