using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Catalog;

namespace ShopSample.Pages;

public sealed class ItemModel(ItemStore items) : PageModel
{
    public Item Item { get; private set; } = null!;

    public async Task<IActionResult> OnGetAsync(string slug, CancellationToken cancellationToken)
    {
        if (await items.FindAsync(slug, cancellationToken) is not { } item)
        {
            return NotFound();
        }

        Item = item;
        return Page();
    }
}
