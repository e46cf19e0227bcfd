using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Catalog;

namespace ShopSample.Pages;

public sealed class CategoryModel(ItemStore items) : PageModel
{
    public Category Category { get; private set; } = null!;

    public IReadOnlyList<ItemCard> Items { get; private set; } = [];

    public async Task<IActionResult> OnGetAsync(string slug, CancellationToken cancellationToken)
    {
        if (Category.Find(slug) is not { } category)
        {
            return NotFound();
        }

        Category = category;
        Items = await items.OfCategoryAsync(category.Slug, cancellationToken);
        return Page();
    }
}
