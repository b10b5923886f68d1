'use strict';
// A click on a heading sorts by it: numbers from the largest first, words from a to z; another click turns it round.
const body = document.querySelector('tbody');
const heads = [...document.querySelectorAll('th')];
heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
  const down = head.classList.contains('number');
  const first = down ? 'descending' : 'ascending';
  const order = head.getAttribute('aria-sort') === first ? (down ? 'ascending' : 'descending') : first;
  const sign = order === 'ascending' ? 1 : -1;
  const key = row => row.cells[column].dataset.key;
  const compare = down
    ? (a, b) => Number(key(a)) - Number(key(b))
    : (a, b) => key(a).localeCompare(key(b), undefined, {numeric: true});
  body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
  heads.forEach(other => other.removeAttribute('aria-sort'));
  head.setAttribute('aria-sort', order);
}));
