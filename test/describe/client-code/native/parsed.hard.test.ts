import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { ALL_GRANTS } from '../../../../src/people/access/principal.ts'
import type { Code } from '@quire/native-clients/code'
import { modelsOf } from '../../../../src/describe/client-code/native-models.ts'
import { writeDart } from '@quire/native-clients/write-dart'
import { writeKotlin } from '@quire/native-clients/write-kotlin'
import { writeSwift } from '@quire/native-clients/write-swift'
import { loadSchema } from '../../../../src/server/services/load-schema.ts'
import { compile } from '../../../schema/define.ts'
import { ODD } from './odd-types.ts'

const SAMPLE = fileURLToPath(new URL('../../../../../content-types', import.meta.url))
const LOCALES = { defaultCode: 'en', all: [{ code: 'en' }], has: () => true }
const LANGUAGES: Readonly<Record<string, (code: Code) => string>> = {
  swift: writeSwift,
  kotlin: writeKotlin,
  dart: writeDart,
}

/** `node_modules` with `web-tree-sitter` and `tree-sitter-wasms`. Without it the tests are skipped. */
const PARSERS = process.env['QUIRE_TREE_SITTER'] ?? ''

interface SyntaxNode {
  readonly isError: boolean
  readonly isMissing: boolean
  readonly hasError: boolean
  readonly text: string
  readonly children: readonly SyntaxNode[]
}

/** The part of `web-tree-sitter` that these tests use. */
interface TreeSitter {
  readonly Parser: {
    init(): Promise<void>
    new (): {
      setLanguage(language: unknown): void
      parse(text: string): { readonly rootNode: SyntaxNode }
    }
  }
  readonly Language: { load(file: string): Promise<unknown> }
}

/** Returns the innermost nodes that the grammar rejects. */
function faultsOf(node: SyntaxNode): readonly string[] {
  if (node.isError || node.isMissing) return [node.text.slice(0, 200)]
  return node.hasError ? node.children.flatMap(faultsOf) : []
}

describe('parsed code for devices', () => {
  before(function () {
    if (PARSERS === '') this.skip()
  })

  for (const [language, write] of Object.entries(LANGUAGES)) {
    it(`is valid ${language}`, async () => {
      const entry = path.join(PARSERS, 'web-tree-sitter/tree-sitter.js')
      const { Parser, Language } = (await import(pathToFileURL(entry).href)) as TreeSitter
      await Parser.init()
      const grammar = path.join(PARSERS, `tree-sitter-wasms/out/tree-sitter-${language}.wasm`)
      const parser = new Parser()
      parser.setLanguage(await Language.load(grammar))
      expect(faultsOf(parser.parse('class { ( }').rootNode), 'what is none').to.not.be.empty
      const schemas = { odd: compile(...ODD), sample: await loadSchema(SAMPLE) }
      for (const [name, schema] of Object.entries(schemas)) {
        const text = write(modelsOf({ schema, locales: LOCALES, grants: ALL_GRANTS }))
        expect(faultsOf(parser.parse(text).rootNode), name).to.deep.equal([])
      }
    })
  }
})
