using Microsoft.AspNetCore.Mvc.ModelBinding;
using Microsoft.AspNetCore.Mvc.Rendering;
using Microsoft.AspNetCore.Mvc.ViewFeatures;
using Microsoft.AspNetCore.Razor.TagHelpers;

namespace ShopSample.Hosting;

/// <summary>
/// Tells assistive technology which fields are wrong (<c>aria-invalid</c>), and puts the cursor into the first of them.
/// </summary>
[HtmlTargetElement("input", Attributes = "asp-for")]
[HtmlTargetElement("select", Attributes = "asp-for")]
[HtmlTargetElement("textarea", Attributes = "asp-for")]
public sealed class WrongFieldTagHelper : TagHelper
{
    private const string Focused = "focused-field";

    [HtmlAttributeName("asp-for")]
    public required ModelExpression For { get; set; }

    [ViewContext]
    [HtmlAttributeNotBound]
    public required ViewContext ViewContext { get; set; }

    /// <summary>Before the framework's own tag helpers, so that these attributes stand in front.</summary>
    public override int Order => -2000;

    public override void Process(TagHelperContext context, TagHelperOutput output)
    {
        var name = ViewContext.ViewData.TemplateInfo.GetFullHtmlFieldName(For.Name);
        if (ViewContext.ModelState.GetFieldValidationState(name) != ModelValidationState.Invalid)
        {
            return;
        }

        output.Attributes.SetAttribute("aria-invalid", "true");
        if (ViewContext.ViewData.TryAdd(Focused, name))
        {
            output.Attributes.SetAttribute(new TagHelperAttribute("autofocus"));
        }
    }
}
