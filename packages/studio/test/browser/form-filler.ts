import type { Locator, Page } from 'playwright-core'
import type { Answer } from './server.ts'

type Attributes = Readonly<Record<string, Answer>>

/** What forms are filled with beside the values of an entry. */
export interface Filling {
  readonly page: Page
  /** The attributes of a component. */
  readonly componentOf: (uid: string) => {
    readonly displayName: string
    readonly attributes: Attributes
  }
  /** By what a relation is searched for; null for a target that is left out. */
  readonly titleOf: (target: Answer) => string | null
  /** A file of the media, as somebody has it on disk. */
  readonly fileOf: (
    media: Answer,
  ) => Promise<{ readonly name: string; readonly mimeType: string; readonly buffer: Buffer }>
}

/** Types and chooses what an entry holds into its form; `within` holds the fields, at `place`. */
export async function fillForm(
  filling: Filling,
  attributes: Attributes,
  entry: Answer,
  within: Locator,
): Promise<void> {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = entry[name]
    const isEmpty = value === null || value === undefined || value.length === 0
    if (isEmpty || attribute.mappedBy !== undefined) continue // the other side is filled
    const field = within.locator(`[data-field$="/${name}"], [data-field="${name}"]`).first()
    await fillField(filling, attribute, value, field)
  }
}

type Fill = (filling: Filling, attribute: Answer, value: Answer, field: Locator) => Promise<void>

const asText: Fill = (_, __, value, field) =>
  field.locator('input, textarea').first().fill(String(value))
const asCode: Fill = (_, __, value, field) =>
  field.locator('.cm-content').fill(typeof value === 'string' ? value : JSON.stringify(value))

const FILL: Readonly<Record<string, Fill>> = {
  string: asText,
  text: asText,
  uid: asText,
  integer: asText,
  float: asText,
  richtext: asCode,
  json: asCode,
  location: async (_, __, value, field) => {
    await field.getByRole('textbox', { name: 'Latitude' }).fill(String(value.latitude))
    await field.getByRole('textbox', { name: 'Longitude' }).fill(String(value.longitude))
  },
  enumeration: async (_, __, value, field) => {
    await field.locator('select').selectOption(value)
  },
  boolean: async (_, __, value, field) => {
    const input = field.getByRole('switch')
    for (let press = 0; press < 2; press += 1) {
      if (press === 0 || (await input.isChecked()) !== value) await input.click({ force: true })
    }
  },
  blocks: ({ page }, _, value, field) => typeBlocks(page, value, field),
  media: async ({ page, fileOf }, _, value, field) => {
    const chooser = page.waitForEvent('filechooser')
    await field.getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles(await fileOf(value))
    await field.getByText(`${value.width} × ${value.height}`).waitFor()
  },
  relation: async ({ page, titleOf }, _, value, field) => {
    for (const target of [value].flat()) {
      const title = titleOf(target)
      if (title === null) continue
      // By its selector: to those who see no page, an open list hides the rest of it.
      await field.locator('[role=combobox]').fill(title)
      await page
        .getByRole('option', { name: beginsWith(title) })
        .first()
        .click()
    }
    await page.locator('main [data-field] input').first().focus() // closes the list
  },
  component: async (filling, attribute, value, field) => {
    await field.getByRole('button', { name: /^Add / }).click()
    const { attributes } = filling.componentOf(attribute.component)
    await fillForm(filling, attributes, value, field)
  },
  dynamiczone: async (filling, _, value, field) => {
    for (const [index, item] of value.entries()) {
      const { displayName, attributes } = filling.componentOf(item.__component)
      await field.getByRole('button', { name: 'Add a component' }).click()
      await filling.page.getByRole('menuitem', { name: displayName, exact: true }).click()
      await fillForm(filling, attributes, item, field.locator('[data-item]').nth(index))
    }
  },
}

/** Its state may follow; the offer to make a new one begins otherwise. */
function beginsWith(title: string): RegExp {
  return new RegExp(`^${title.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}`)
}

const fillField: Fill = async (filling, attribute, value, field) => {
  const fill = FILL[attribute.type]
  if (fill === undefined) throw new Error(`No form is filled with a ${attribute.type} yet`)
  await fill(filling, attribute, value, field)
}

/** Headings, paragraphs and plain lists, by the keys that make them. */
async function typeBlocks(page: Page, blocks: Answer, field: Locator): Promise<void> {
  await field.getByRole('textbox').click()
  for (const [index, block] of blocks.entries()) {
    if (index > 0) await page.keyboard.press('Enter')
    const children: readonly Answer[] = block.type === 'list' ? block.children : [block]
    if (block.type === 'heading') await page.keyboard.type(`${'#'.repeat(block.level)} `)
    if (block.type === 'list') await page.keyboard.type('- ')
    for (const [at, { children: texts }] of children.entries()) {
      if (at > 0) await page.keyboard.press('Enter')
      await page.keyboard.insertText(texts.map(({ text }: { text: string }) => text).join(''))
    }
  }
}
