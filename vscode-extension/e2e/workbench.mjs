// This file defines what a test does and sees in the window, in a user's words. Everything waits on
// a condition in the page; nothing waits for time to pass.

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */

export class Workbench {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** The underlined stretches of the file in front. */
    this.squiggles = page.locator('.squiggly-warning, .squiggly-error');
    /** The rows of the Problems panel, files and what was found in them. */
    this.problems = page.locator('.markers-panel .monaco-list-row');
    this.lightbulb = page.locator('.lightBulbWidget');
    this.actions = page.locator('.action-widget');
    this.hovers = page.locator('.monaco-hover:visible');
    this.messages = page.locator('.notification-toast');
  }

  /** Opens a file of the folder's top level and waits until it is in front. @param {string} name */
  async open(name) {
    await this.page.locator('.explorer-viewlet').getByRole('treeitem', { name, exact: true }).dblclick();
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.page.locator('.monaco-editor .view-line').first().waitFor();
  }

  /** Runs a command as the palette names it. @param {string} title */
  async command(title) {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget:visible input').fill(`>${title}`);
    const entry = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title });
    await entry.first().click();
  }

  /** Waits until the language status says this. @param {string} text */
  async status(text) {
    await this.page.locator(`[id="status.languageStatus"][aria-label*=${JSON.stringify(text)}]`).waitFor();
  }

  async openProblems() {
    await this.command('Problems: Focus on Problems View');
    await this.page.locator('.markers-panel').waitFor();
  }

  /** The runtime panel's page. */
  get panel() {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** Waits for a code lens. @param {string} text a regular expression */
  async lens(text) {
    await this.page.locator('.codelens-decoration').filter({ hasText: new RegExp(text) }).first().waitFor();
  }

  async closePanel() {
    await this.page.locator('.tab', { hasText: 'warplint runs' }).hover();
    await this.page.locator('.tab', { hasText: 'warplint runs' }).locator('.codicon-close').click();
    await this.page.locator('.tab', { hasText: 'warplint runs' }).waitFor({ state: 'detached' });
  }

  /** Waits until the cursor is on a line. @param {number} line */
  async cursorAt(line) {
    await this.page.locator('[id="status.editor.selection"]', { hasText: `Ln ${line},` }).waitFor();
  }

  /** Takes a picture of the whole window. @param {string} file */
  async pictureWindow(file) {
    await this.page.screenshot({ path: file, animations: 'disabled' });
  }

  /** Waits until nothing is underlined, in the file and in the Problems panel. */
  async clean() {
    await this.squiggles.first().waitFor({ state: 'detached' });
    await this.page.getByText('No problems have been detected').waitFor();
  }

  /** Rests the pointer on the first squiggle until the hover about it is there, fully drawn.
   * @param {string} text that the hover holds */
  async hoverFirstSquiggle(text) {
    const hover = this.hovers.filter({ hasText: text }).first();
    for (let tries = 0; tries < 10 && !(await hover.isVisible()); tries++) {
      const { x, y } = await center(this.squiggles.first()); // a lens that comes late moves the text
      await this.page.mouse.move(x, y - 1);
      await this.page.mouse.move(x, y);
      await hover.waitFor({ timeout: 3_000 }).catch(() => {});
    }
    await hover.waitFor();
    await hover.getByText(/^Quick Fix/).waitFor(); // it comes last
    await hover.evaluate((element) => Promise.all(element.getAnimations({ subtree: true }).map((one) => one.finished)));
    return hover;
  }

  /** Turns the wheel until a line of the text is the first one. @param {string} text */
  async scrollTo(text) {
    const editor = this.page.locator('.part.editor .monaco-editor .overflow-guard').first();
    const line = this.page.locator('.view-line', { hasText: text }).first();
    const { x, y } = await center(editor);
    await this.page.mouse.move(x, y);
    const { y: top } = await box(editor);
    for (let at = await box(line); at.y - top > at.height / 2; at = await box(line)) {
      await this.page.mouse.wheel(0, at.height / 2);
      await this.page.evaluate(() => new Promise(requestAnimationFrame)); // let the wheel have its effect
    }
  }

  /** Takes a picture of the editor's upper part, to a little below the hover.
   * @param {Locator} hover @param {string} file */
  async picture(hover, file) {
    const editor = await box(this.page.locator('.part.editor'));
    const over = await box(hover);
    const height = Math.min(over.y + over.height + 16 - editor.y, editor.height);
    await this.page.screenshot({ path: file, clip: { ...editor, height } });
  }

  /** Puts the cursor on the first squiggle, opens the menu of the lightbulb that shows up, and
   * takes the entry with this text.
   * @param {string} title */
  async chooseFix(title) {
    const entry = this.actions.getByText(title);
    for (let tries = 0; tries < 10 && !(await entry.isVisible()); tries++) {
      await this.click(this.squiggles.first()); // a lens that comes late moves the text, so more than once
      await this.lightbulb.waitFor({ timeout: 3_000 }).then(() => this.click(this.lightbulb)).catch(() => {});
      await entry.waitFor({ timeout: 3_000 }).catch(() => {});
    }
    await entry.waitFor();
    // The menu ignores the pointer until it has moved; the keyboard is the steadier way.
    while (!(await this.actions.locator('.focused').innerText()).includes(title)) {
      await this.page.keyboard.press('ArrowDown');
    }
    await this.page.keyboard.press('Enter');
    await this.actions.waitFor({ state: 'hidden' });
  }

  /** Clicks where the element is now. Playwright's own click would scroll for decorations of the
   * text, which lie below it. @param {Locator} locator */
  async click(locator) {
    const { x, y } = await center(locator);
    await this.page.mouse.click(x, y);
  }

  /** Closes the message, so that it hides nothing. @param {string} text that it holds */
  async dismiss(text) {
    const message = this.messages.filter({ hasText: text }).first();
    await message.waitFor();
    const whole = await message.innerText();
    await message.hover();
    await message.locator('.codicon-notifications-clear').click();
    await message.waitFor({ state: 'detached' });
    return whole;
  }
}

/** Where the element is, as soon as it has a place: the editor draws its decorations anew when its
 * text or its size changes, and an element found just before has none then.
 * @param {Locator} locator */
async function box(locator) {
  for (let tries = 0; tries < 100; tries++) {
    await locator.waitFor();
    const found = await locator.boundingBox();
    if (found) return found;
  }
  throw new Error(`${String(locator)} is not to be seen`);
}

/** @param {Locator} locator */
async function center(locator) {
  const { x, y, width, height } = await box(locator);
  return { x: x + width / 2, y: y + height / 2 };
}
