/** Offers a text as a file to save. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // the browser has its own hold on the content by then
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
