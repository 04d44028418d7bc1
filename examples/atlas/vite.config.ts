import { defineConfig } from 'vite'

/** The Quire server. */
const server = process.env['QUIRE_ADDRESS'] ?? 'http://127.0.0.1:1337'
const proxy = Object.fromEntries(['/api', '/uploads'].map((path) => [path, server]))

export default defineConfig({
  root: import.meta.dirname,
  build: { outDir: 'dist/app', emptyOutDir: true, reportCompressedSize: false, target: 'es2022' },
  server: { port: 5174, proxy },
  preview: { port: 4174, proxy },
})
