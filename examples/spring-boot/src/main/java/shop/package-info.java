/** The application of docs/spring-boot.md. */
@NullMarked
package shop;

import org.jspecify.annotations.NullMarked;
