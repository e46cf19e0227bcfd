using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Catalog;

namespace ShopSample.Pages;

public sealed class IndexModel(ItemStore items) : PageModel
{
    public IReadOnlyList<ItemCard> Items { get; private set; } = [];

    public async Task OnGetAsync(CancellationToken cancellationToken) =>
        Items = await items.FirstPageAsync(cancellationToken);
}
