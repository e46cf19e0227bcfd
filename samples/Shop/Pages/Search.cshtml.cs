using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Catalog;

namespace ShopSample.Pages;

public sealed class SearchModel(ItemStore items) : PageModel
{
    /// <summary>As long as the search box takes.</summary>
    private const int MaxLength = 80;

    public string Words { get; private set; } = "";

    public IReadOnlyList<ItemCard> Items { get; private set; } = [];

    public async Task<IActionResult> OnGetAsync(string? q, CancellationToken cancellationToken)
    {
        Words = q?.Trim() ?? "";

        // PostgreSQL takes no NUL in a text.
        if (Words.Length > MaxLength || Words.Contains('\0'))
        {
            return BadRequest();
        }

        Items = await items.SearchAsync(Words, cancellationToken);
        return Page();
    }
}
